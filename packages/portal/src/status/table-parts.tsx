/** What the tables of the status have around them. */

import { config } from '../core/config.ts';
import { current, useWords } from '../core/store.ts';

/** The operator's page, in the language and colours of this one. */
export function adminAddress(language: string): string {
  const { theme } = current();
  return `${config.base}/admin?lang=${language}${theme === null ? '' : `&theme=${theme}`}`;
}

/** Goes from page to page; nothing where there is one only. */
export function Pager({
  label,
  page,
  pages,
  onPage,
}: {
  label: string;
  page: number;
  pages: number;
  onPage(page: number): void;
}) {
  const { t, number } = useWords();
  if (pages <= 1 && page <= 1) return null;
  return (
    <nav class="actions" aria-label={label}>
      <button type="button" class="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t('previousPage')}
      </button>
      <span>
        {number(page)} / {number(pages)}
      </span>
      <button type="button" class="button" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t('nextPage')}
      </button>
    </nav>
  );
}

/** A table that scrolls sideways where it has no room. */
export function Wide({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="wide" tabIndex={0} aria-label={label}>
      <table class="datasets">{children}</table>
    </section>
  );
}
