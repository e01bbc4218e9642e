/** Light or dark: what was chosen, else what the system prefers. */
import { useEffect, useState } from 'preact/hooks';
import type { Theme } from './state.ts';
import { current, subscribe } from './store.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

export function themeNow(): Theme {
  return current().theme ?? (dark.matches ? 'dark' : 'light');
}

/** Calls when light turns to dark or back; returns what ends it. */
export function onTheme(listener: (theme: Theme) => void): () => void {
  let last = themeNow();
  const look = () => {
    const theme = themeNow();
    if (theme === last) return;
    last = theme;
    listener(theme);
  };
  dark.addEventListener('change', look);
  const end = subscribe(look);
  return () => {
    dark.removeEventListener('change', look);
    end();
  };
}

export function useTheme(): Theme {
  const [theme, setTheme] = useState(themeNow);
  useEffect(() => onTheme(setTheme), []);
  return theme;
}
