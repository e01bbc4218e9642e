import { useAdminWords } from './words.ts';

/** From page to page of a list; nothing where there is one page. */
export function Pages({
  page,
  pages,
  onPage,
}: {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}) {
  const { t, number } = useAdminWords();
  if (pages <= 1) return null;
  return (
    <nav class="pages" aria-label={t('page')}>
      <button type="button" class="button small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t('previous')}
      </button>
      <span>
        {t('page')} {number(page)} / {number(pages)}
      </span>
      <button type="button" class="button small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t('next')}
      </button>
    </nav>
  );
}
