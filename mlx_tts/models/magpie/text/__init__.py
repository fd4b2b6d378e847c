"""Text -> ids as the checkpoint was trained on: tokenizers (all of a checkpoint), ipa, characters, chinese."""
