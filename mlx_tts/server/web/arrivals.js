// When sound arrived, and how much of it, in; how much must be there before it is heard without a hole, out.

const CAREFUL = 0.9; // of the measured speed: to play takes some of the machine's time as well
const LONGER = 1.3; // than was estimated: texts of names and numbers are
const GAPS = 1.5, MARGIN = 0.25; // the next gap may be longer than the longest so far; seconds
const BURST = 0.08; // seconds: what comes closer together had gathered on the way, and says nothing of the speed
const RECENT = 2.5; // seconds: a machine that became slow lately counts as slow

export class Arrivals {
  constructor(now = performance.now() / 1000) {
    this.all = [{ at: now, seconds: 0 }]; // {when, seconds of sound that were there then}; the first is the request
    this.longestGap = 0;
  }

  // The first arrivals stay: the speed is measured from there.
  add(seconds, now = performance.now() / 1000) {
    const last = this.all.at(-1);
    if (this.all.length > 1 && now - last.at < BURST) {
      last.seconds += seconds;
      return;
    }
    if (this.all.length > 1) this.longestGap = Math.max(this.longestGap, now - last.at);
    this.all.push({ at: now, seconds: last.seconds + seconds });
    if (this.all.length > 400) this.all.splice(2, 200);
  }

  // Seconds of sound in a second; 0 before any came.
  get speed() {
    const { all } = this, last = all.at(-1);
    // Before the first sound a model may have been loaded. Until there are three arrivals nothing better is known.
    const first = all.length > 3 ? all[1] : all[0];
    const since = all.findLast(({ at }, number) => number && last.at - at >= RECENT) ?? first;
    const between = (before) => (last.seconds - before.seconds) / Math.max(0.001, last.at - before.at);
    return Math.min(between(first), between(since));
  }

  // Seconds of sound that must be there while so many seconds are still to be made. pace: seconds of sound that the
  // listener hears in a second.
  needed(rest, pace = 1) {
    const speed = (this.speed * CAREFUL) / pace;
    const behind = speed < 1 ? rest * LONGER * (1 / Math.max(speed, 0.001) - 1) : 0;
    const gap = Math.max(this.longestGap, this.all.length > 2 ? 0 : this.all.at(-1).at - this.all[0].at);
    return behind + (gap * GAPS + MARGIN) * pace;
  }

  // Seconds until `there` is enough: what is needed falls while the rest is made.
  wait(there, rest, pace = 1) {
    const speed = this.speed;
    if (!speed) return Infinity;
    const falls = Math.max(0, LONGER * (pace / (speed * CAREFUL) - 1));
    return Math.max(0, Math.min((this.needed(rest, pace) - there) / (speed * (1 + falls)), rest / speed));
  }
}
