// Words of the user's own and how they are said: kept in this browser; out comes what a request for a text needs of them.

const STORED = "mlx-tts.lexicon";
const MOST = 100; // entries of one request

class Lexicon {
  entries = JSON.parse(localStorage.getItem(STORED) ?? "[]"); // {match, say} or {match, ipa}

  // In place of what was kept for the same word. Sound between slashes is IPA.
  put(word, sound) {
    const entry = entryOf(word, sound);
    this.store([entry, ...this.entries.filter(({ match }) => !isSame(match, entry.match))]);
  }

  remove(word) {
    this.store(this.entries.filter(({ match }) => match !== word));
  }

  find(word) {
    return this.entries.find(({ match }) => isSame(match, word));
  }

  // Those whose words the text has; null for none, as a request leaves it out.
  within(text) {
    const lower = text.toLowerCase();
    const found = this.entries.filter(({ match }) => lower.includes(match.toLowerCase())).slice(0, MOST);
    return found.length ? found : null;
  }

  store(entries) {
    this.entries = entries;
    localStorage.setItem(STORED, JSON.stringify(entries));
  }
}

export const lexicon = new Lexicon();

export function entryOf(word, sound) {
  const ipa = /^\/(.+)\/$/.exec(sound.trim())?.[1];
  return ipa ? { match: word.trim(), ipa } : { match: word.trim(), say: sound.trim() };
}

export const soundOf = ({ say, ipa }) => say ?? `/${ipa}/`;

const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();
