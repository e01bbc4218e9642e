/** Values of attributes in the language of the page. */
import { valueIn } from './code-names.ts';
import { useWords } from './store.ts';

export function useValues(): (value: unknown) => string {
  const { language } = useWords();
  return (value) => valueIn(language, value);
}
