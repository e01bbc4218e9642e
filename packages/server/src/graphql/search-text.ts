const LONG_VOWELS: Record<string, string> = {
  ā: 'a',
  ī: 'i',
  ū: 'u',
  ē: 'e',
  ō: 'o',
  â: 'a',
  î: 'i',
  û: 'u',
  ê: 'e',
  ô: 'o',
};

/**
 * Text for comparison: full and half width, large and small letters, hiragana and katakana, Latin vowels with and
 * without a mark are the same.
 */
export function searchable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[āīūēōâîûêô]/g, (vowel) => LONG_VOWELS[vowel]!)
    .replace(/[\u3041-\u3096]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
}
