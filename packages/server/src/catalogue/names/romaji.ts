/** Readings of place names in kana, and the Latin letters that follow from them. */

/**
 * A reading as the table of areas holds it: hiragana, with `-` before what says the kind (おおさか-し), and `・` between two
 * vowels that belong to different words and so are no long one (かつ・うら).
 */
export type Reading = string;

const SYLLABLES =
  'あa いi うu えe おo かka きki くku けke こko がga ぎgi ぐgu げge ごgo さsa しshi すsu せse そso ざza じji ずzu ぜze ぞzo ' +
  'たta ちchi つtsu てte とto だda ぢji づzu でde どdo なna にni ぬnu ねne のno はha ひhi ふfu へhe ほho ばba びbi ぶbu べbe ぼbo ' +
  'ぱpa ぴpi ぷpu ぺpe ぽpo まma みmi むmu めme もmo やya ゆyu よyo らra りri るru れre ろro わwa ゐi ゑe をo んn ゔvu ' +
  'ぁa ぃi ぅu ぇe ぉo ';

const LETTERS = new Map(
  SYLLABLES.trim()
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** Small や, ゆ, よ change the consonant before them: き + ゃ is kya, し + ゃ is sha. */
const GLIDES = new Map([
  ['ゃ', 'a'],
  ['ゅ', 'u'],
  ['ょ', 'o'],
]);

/**
 * A reading in Hepburn letters without marks of long vowels, as signs and file names have it.
 *
 * @example romajiOf('おおさか-し') // 'osaka-shi'
 */
export function romajiOf(reading: Reading): string {
  let text = '';
  // True when the last vowel may still be made long by the next kana.
  let open = false;
  for (const kana of reading) {
    const vowel = text.at(-1) ?? '';
    if (kana === '・' || kana === '-') {
      if (kana === '-') text += '-';
      open = false;
      continue;
    }
    if (open && isLong(vowel, kana)) {
      open = false;
      continue;
    }
    const glide = GLIDES.get(kana);
    if (glide !== undefined) {
      const stem = text.slice(0, -1);
      text = (/(sh|ch|j)$/.test(stem) ? stem : `${stem}y`) + glide;
    } else if (kana === 'っ') {
      text += '*';
    } else {
      const letters = LETTERS.get(kana) ?? kana;
      // The consonant is doubled; before ch it is a t.
      if (text.endsWith('*')) text = text.slice(0, -1) + (letters.startsWith('ch') ? 't' : letters.charAt(0));
      text += letters;
    }
    open = true;
  }
  return text;
}

/** True for the second kana of a long o or u. */
function isLong(vowel: string, kana: string): boolean {
  if (kana === 'ー') return true;
  return (vowel === 'o' && (kana === 'う' || kana === 'お')) || (vowel === 'u' && kana === 'う');
}

/** The reading in plain hiragana, without marks. */
export function kanaOf(reading: Reading): string {
  return reading.replace(/[-・]/g, '');
}

/**
 * What people type in Latin letters, so that ways to write one sound are the same: ō, ou, oh and o; si and shi; tu and
 * tsu.
 */
export function foldRomaji(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[\s'’.・-]+/g, '')
    .replace(/sy(?=[auo])/g, 'sh')
    .replace(/si/g, 'shi')
    .replace(/(?:ty|cy)(?=[auo])/g, 'ch')
    .replace(/ti/g, 'chi')
    .replace(/tu/g, 'tsu')
    .replace(/(?:zy|jy)(?=[auo])/g, 'j')
    .replace(/zi|di/g, 'ji')
    .replace(/du/g, 'zu')
    .replace(/hu/g, 'fu')
    .replace(/l/g, 'r')
    .replace(/m(?=[bpm])/g, 'n')
    .replace(/oh(?![aiueoy])/g, 'o')
    .replace(/o[ou]+/g, 'o')
    .replace(/u{2,}/g, 'u');
}
