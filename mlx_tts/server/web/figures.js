// The text of /metrics in, figures out: what counts up is turned into what happened since the last look.

export function parse(text) {
  const values = {};
  for (const line of text.split("\n")) {
    const found = /^(\w+)(\{([^}]*)\})? (\S+)$/.exec(line);
    if (!found) continue;
    const [, name, , labels, value] = found;
    (values[name] ??= []).push({ labels: labels ?? "", value: Number(value) });
  }
  return values;
}

export const sum = (values, name) => (values[name] ?? []).reduce((total, { value }) => total + value, 0);

// The mean of what a histogram took in between two looks; null where that was nothing.
export function meanBetween(before, after, name) {
  const count = sum(after, `${name}_count`) - sum(before, `${name}_count`);
  return count > 0 ? (sum(after, `${name}_sum`) - sum(before, `${name}_sum`)) / count : null;
}

// The value below which this share of all lies, within the width of a bucket; null while there is nothing.
export function quantile(values, name, share) {
  const buckets = (values[`${name}_bucket`] ?? [])
    .map(({ labels, value }) => [Number(/le="([^"]+)"/.exec(labels)[1].replace("+Inf", "Infinity")), value])
    .sort(([a], [b]) => a - b);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (!total) return null;
  let [low, under] = [0, 0];
  for (const [edge, count] of buckets) {
    if (count >= share * total) {
      if (edge === Infinity) return low;
      return low + ((edge - low) * (share * total - under)) / Math.max(1, count - under);
    }
    [low, under] = [edge, count];
  }
  return low;
}
