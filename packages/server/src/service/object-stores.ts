/** What opens object stores, as a module of its own for those who load it only when they need one. */
export { openObjectStore } from '@citymodel/store';
