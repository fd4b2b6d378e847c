// How loud and how fast it is heard: kept in this browser, and told to whoever plays.

const STORED = "mlx-tts.listening";
const LIMITS = { volume: [0, 1], pace: [0.75, 2] };

class Listening extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { volume: 1, pace: 1 });
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    for (const name of Object.keys(LIMITS)) if (name in stored) this[name] = within(name, stored[name]);
  }

  set(name, value) {
    this[name] = within(name, value);
    localStorage.setItem(STORED, JSON.stringify({ volume: this.volume, pace: this.pace }));
    this.dispatchEvent(new Event("change"));
  }
}

function within(name, value) {
  const [least, most] = LIMITS[name];
  return Math.min(most, Math.max(least, Number(value)));
}

export const listening = new Listening();
