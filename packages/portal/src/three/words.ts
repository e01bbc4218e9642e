import { useWords } from '../core/store.ts';
import { en, fill, ja, type ThreeKey } from './strings.ts';

/** The words of the page's language. */
export function useThree(): (key: ThreeKey, values?: Record<string, string | number>) => string {
  const { language } = useWords();
  const table = language === 'ja' ? ja : en;
  return (key, values) => (values === undefined ? table[key] : fill(table[key], values));
}
