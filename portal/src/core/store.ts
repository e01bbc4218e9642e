/** The one state of the page, kept in the address bar. */
import { useEffect, useState } from 'preact/hooks';
import { config } from './config.ts';
import { preferredLanguage, type Words, wordsOf } from './i18n.ts';
import { formatState, parseState, type State } from './state.ts';

type Listener = (state: State, previous: State) => void;

const listeners = new Set<Listener>();
let state = read();

addEventListener('popstate', () => set(read()));

/** The state now. */
export function current(): State {
  return state;
}

/**
 * Changes the state and the address. A change of what is looked at makes an entry in the history; small ones, like
 * moving the map, replace the entry.
 */
export function update(change: Partial<State>, { push = false }: { push?: boolean } = {}): void {
  const next = { ...state, ...change };
  const address = config.base + formatState(next);
  if (address !== location.pathname + location.search) {
    if (push) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }
  set(next);
}

/** The address that `update` with the change would lead to, for links. */
export function addressOf(change: Partial<State>): string {
  return config.base + formatState({ ...state, ...change });
}

/** Calls on every change; returns what ends it. */
export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A part of the state in a component, drawn again when that part changes (by `Object.is`). */
export function usePart<T>(select: (state: State) => T): T {
  const [value, setValue] = useState(() => select(state));
  useEffect(() => {
    const look = () => setValue(() => select(state));
    look();
    return subscribe(look);
    // Selectors are constant for a component
  }, []);
  return value;
}

/** Words in the language of the page. */
export function useWords(): Words {
  return wordsOf(usePart((s) => s.lang) ?? preferredLanguage());
}

function read(): State {
  const path = location.pathname.startsWith(config.base)
    ? location.pathname.slice(config.base.length)
    : location.pathname;
  return parseState(path, location.search);
}

function set(next: State): void {
  const previous = state;
  state = next;
  for (const listener of listeners) listener(next, previous);
}
