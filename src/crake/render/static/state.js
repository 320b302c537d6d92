// What is chosen: one small record; whoever subscribed is told what changed.

/** A record that is changed by `set` and tells its readers which of its names have new values. */
export function createState(first) {
  const readers = [];
  const state = { ...first };
  return {
    get: () => state,
    set(changes) {
      const changed = new Set(Object.keys(changes).filter((name) => !Object.is(state[name], changes[name])));
      if (changed.size === 0) return;
      Object.assign(state, changes);
      readers.forEach((read) => read(state, changed));
    },
    subscribe(read) {
      readers.push(read);
    },
  };
}
