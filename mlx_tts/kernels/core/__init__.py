"""What all kernels share: their text and launch, the forms of a model, self-checks, autotune on a machine."""
