/** The address bar: reads a state from it and writes one, by the rows of `parameters.ts`. */
import { PARAMETERS } from './parameters.ts';
import { INITIAL, PAGES, type State, VIEWS, type View } from './state.ts';

/** True for a page with a path of its own. */
function hasPath(view: View): boolean {
  return PAGES[view].path !== PAGES[INITIAL.view].path;
}

/** Pages of one path, which differ by the parameter `view`. */
const SHARED = VIEWS.filter((page) => !hasPath(page));

/** What an address stands for. */
export interface Reading {
  state: State;
  /** `name=value` of what could not be understood; the state is as at the beginning there. */
  leftOut: string[];
}

/** Reads path (below the base path) and query. Names that are not ours are for others to read. */
export function readAddress(path: string, search: string): Reading {
  const query = new URLSearchParams(search);
  const state: State = { ...INITIAL };
  const leftOut: string[] = [];
  const own = VIEWS.find((page) => hasPath(page) && path.replace(/(.)\/$/, '$1') === PAGES[page].path);
  const view = query.get('view');
  state.view = own ?? SHARED.find((page) => page === view) ?? INITIAL.view;
  if (own === undefined && view && view !== state.view) leftOut.push(`view=${view}`);
  for (const { name, kind, read, rest } of PARAMETERS) {
    const text = query.get(name);
    if (text === null || (text === '' && kind !== 'flag')) continue;
    const part = read(text);
    leftOut.push(...rest(text).map((one) => `${name}=${one}`));
    if (part === null) leftOut.push(`${name}=${text}`);
    else Object.assign(state, part, { filters: { ...state.filters, ...part.filters } });
  }
  return { state, leftOut };
}

/** The state of an address; what cannot be understood is as at the beginning. */
export function parseState(path: string, search: string): State {
  return readAddress(path, search).state;
}

/** Path (below the base path) with query; `readAddress` reads it back. What is as at the beginning is left out. */
export function formatState(state: State): string {
  const query: string[] = [];
  if (!hasPath(state.view) && state.view !== INITIAL.view) query.push(`view=${state.view}`);
  for (const { name, kind, write } of PARAMETERS) {
    const text = write(state);
    if (kind === 'flag' && text !== null) query.push(name);
    else if (text) query.push(`${name}=${encode(text)}`);
  }
  const { path } = PAGES[state.view];
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Percent-encoding that leaves readable what a query may hold as it is (RFC 3986, section 3.4). */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|3B|2F)/g, decodeURIComponent);
}
