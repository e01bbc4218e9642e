/** Light or dark on the operator's page: as the link that led here has it, else as it was chosen, else as the system. */
export type Theme = 'light' | 'dark' | null;

/** Where the browser keeps what was chosen. */
const THEME = 'citymodel-admin-theme';

export function themeChosen(): Theme {
  const text = new URLSearchParams(location.search).get('theme') ?? localStorage.getItem(THEME);
  return text === 'light' || text === 'dark' ? text : null;
}

/** Shows the page in a theme, and keeps the choice for the next visit. */
export function showTheme(theme: Theme): void {
  if (theme === null) {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(THEME);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME, theme);
  }
}
