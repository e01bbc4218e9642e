/** What the service says in English when it refuses something, in Japanese; each as far as the page can provoke it. */

const REASONS: Array<[pattern: RegExp, text: (found: RegExpExecArray) => string]> = [
  [
    /^The conditions find (\d+) files; at most (\d+) are accepted in one pack\./,
    ([, files, most]) => `${files}ファイルが該当しますが、一つのzipに入るのは${most}ファイルまでです。`,
  ],
  [/at most (\d+) (?:different )?URLs/i, ([, most]) => `一つのzipに指定できるのは${most}ファイルまでです。`],
  [/\d bytes/i, () => 'zipの大きさが上限を超えています。'],
  [
    /^At most (\d+) of these requests/,
    ([, most]) => `1分あたりの受付は${most}回までです。少し待ってください。`,
  ],
  [/^No published CityGML file lies there\./, () => 'この範囲に公開されたCityGMLはありません。'],
  [/^No CityGML file is known for the place/, () => 'この地名のCityGMLは見つかりません。'],
  [/^No CityGML is published for/, () => 'この市区町村のCityGMLは公開されていません。'],
  [
    /^No hosted package has this file/,
    () => 'このファイルを含むパッケージはありません。検索からやり直してください。',
  ],
  [/No 3D Tiles are published for/, () => 'この地域の3D Tilesは公開されていません。'],
  [
    / there are 3D Tiles of the types (\w+(?:, \w+)*)\./,
    ([, types]) => `この地域の3D Tilesにある型: ${types}。`,
  ],
  [
    / exists as: (LOD [\d, ]+); years ([\d, ]+);/,
    ([, lods, years]) => `公開されているのは ${lods}、年度 ${years} です。`,
  ],
  [
    /^"([^"]+)" is neither the id of a 3D Tiles dataset nor a spec/,
    ([, id]) => `「${id}」は3D Tilesのデータセットでも、統合タイルセットの指定でもありません。`,
  ],
  [
    /body is larger|too many/i,
    () => '一度に受け付けられる量を超えています。範囲や地物型を減らしてください。',
  ],
];

/** The reason in Japanese; null where it has no translation. */
export function translated(reason: string): string | null {
  for (const [pattern, text] of REASONS) {
    const found = pattern.exec(reason);
    if (found !== null) return text(found);
  }
  return null;
}
