import { config } from '../core/config.ts';
import { usePart, useWords } from '../core/store.ts';

/** A link to the page of a municipality or ward, in the language and colours that were chosen. */
export function CityPageLink({ code }: { code: string }) {
  const { t } = useWords();
  const lang = usePart((s) => s.lang);
  const theme = usePart((s) => s.theme);
  if (!hasCityPage(code)) return null;
  return (
    <a class="button" href={cityPageAddress(code, { lang, theme })}>
      {t('cityPage')}
    </a>
  );
}

/** Whether an area has a page of its own: packages of a whole prefecture have a code of two digits, and none. */
export function hasCityPage(code: string): boolean {
  return /^\d{5}$/.test(code);
}

/** Address of the page of an area; what is null is left to the browser. */
export function cityPageAddress(
  code: string,
  { lang, theme }: Readonly<Record<'lang' | 'theme', string | null>>,
): string {
  const query = new URLSearchParams({ ...(lang && { lang }), ...(theme && { theme }) });
  return `${config.base}/city/${code}${query.size === 0 ? '' : `?${query}`}`;
}
