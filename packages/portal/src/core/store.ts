/** The one state of the page, kept in the address bar. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatState, readAddress } from './address.ts';
import { afterFrame } from './after-frame.ts';
import { config } from './config.ts';
import { preferredLanguage, type Words, wordsOf } from './i18n.ts';
import { type Signal, signal } from './signal.ts';
import type { State } from './state.ts';

type Listener = (state: State, previous: State) => void;

const listeners = new Set<Listener>();
/** What is told after the frame that answers the change. */
const lateListeners = new Set<() => void>();
let tellsLater = false;
/** What of a link was left out and why it cannot be shown, for a notice. */
export const leftOut: Signal<readonly string[]> = signal<readonly string[]>([]);
let state = read();

/** Entries of the history that are not written yet, oldest first. */
let unwritten: Array<{ address: string; push: boolean }> = [];

addEventListener('popstate', () => {
  unwritten = [];
  set(read());
});
// A person who reloads the page finds what it showed.
addEventListener('pagehide', writeHistory);

/** The state now. */
export function current(): State {
  return state;
}

/**
 * Changes the state and the address. A change of what is looked at makes an entry in the history; small ones, like
 * moving the map, replace the entry. The history is written after the next frame, because on a slow machine it
 * would take the time of one.
 */
export function update(change: Partial<State>, { push = false }: { push?: boolean } = {}): void {
  const next = { ...state, ...change };
  const address = config.base + formatState(next);
  const before = unwritten.at(-1);
  if (address !== (before?.address ?? location.pathname + location.search)) {
    if (before === undefined) afterFrame(writeHistory);
    if (before !== undefined && !push) before.address = address;
    else unwritten.push({ address, push });
  }
  set(next);
}

function writeHistory(): void {
  for (const { address, push } of unwritten) {
    if (push) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }
  unwritten = [];
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
  return useSelected(select, subscribe);
}

/**
 * The same for what need not be in the frame that answers a key or click: the component is drawn again in the frame
 * after that.
 */
export function useLaterPart<T>(select: (state: State) => T): T {
  return useSelected(select, subscribeLater);
}

function subscribeLater(listener: () => void): () => void {
  lateListeners.add(listener);
  return () => lateListeners.delete(listener);
}

function useSelected<T>(select: (state: State) => T, subscribe: (listener: () => void) => () => void): T {
  const [value, setValue] = useState(() => select(state));
  const drawn = useRef(value);
  useEffect(() => {
    // Hundreds of components listen, and most changes are not theirs.
    const look = () => {
      const next = select(state);
      if (Object.is(next, drawn.current)) return;
      drawn.current = next;
      setValue(() => next);
    };
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

/** The same for what takes another language in the frame after the one that answers. */
export function useLaterWords(): Words {
  return wordsOf(useLaterPart((s) => s.lang) ?? preferredLanguage());
}

function read(): State {
  const path = location.pathname.startsWith(config.base)
    ? location.pathname.slice(config.base.length)
    : location.pathname;
  const reading = readAddress(path, location.search);
  leftOut.set(reading.leftOut);
  return reading.state;
}

/** Takes a part of the state back that a link asked for and that is not there, and says so. */
export function leaveOut(what: string, change: Partial<State>): void {
  leftOut.set([...leftOut.get(), what]);
  update(change);
}

function set(next: State): void {
  const previous = state;
  state = next;
  if (!tellsLater) {
    tellsLater = true;
    afterFrame(() => {
      tellsLater = false;
      for (const listener of lateListeners) listener();
    });
  }
  for (const listener of listeners) listener(next, previous);
}
