/** The language of what commands print for people. What `--json` prints is the same in both. */

export type Language = 'en' | 'ja';

/**
 * Japanese where the environment says so, else English: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that has a
 * value counts (POSIX.1-2024, section 8.2).
 */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  const locale = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== '');
  return /^ja(?:$|[_.@-])/i.test(locale ?? '') ? 'ja' : 'en';
}
