import { valueIn } from '../core/code-names.ts';
import { useWords } from '../core/store.ts';

const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * A value of an attribute in the language of the page. On the English page the labels of a city's own code lists stay
 * Japanese. They say that they are, so that they are read out and drawn as such.
 */
export function InWords({ value }: { value: unknown }) {
  const { language } = useWords();
  const text = valueIn(language, value);
  return language === 'en' && JAPANESE.test(text) ? <span lang="ja">{text}</span> : text;
}
