/** Words of the page of a municipality in Japanese and English. */

export type Language = 'ja' | 'en';

const WORDS = {
  skip: ['本文へ移動', 'Skip to the content'],
  title: ['都市モデルデータ', 'City Model Data'],
  views: ['表示の切り替え', 'Views'],
  map: ['さがす', 'Map'],
  datasets: ['データ一覧', 'Datasets'],
  basket: ['ダウンロード', 'Basket'],
  status: ['稼働状況', 'Status'],
  language: ['言語', 'Language'],
  theme: ['配色', 'Theme'],
  system: ['自動', 'System'],
  light: ['ライト', 'Light'],
  dark: ['ダーク', 'Dark'],
  model: ['3D都市モデル', '3D city model'],
  code: ['市区町村コード', 'Municipality code'],
  partOf: ['区の属する市', 'Ward of'],
  fromCity: [
    '市全体のパッケージに、この区のデータが含まれます。',
    'The data of this ward is part of the package of its city.',
  ],
  fromWards: ['データは区ごとに公開されています。', 'The data is published for each ward.'],
  lookOf: ['{name}の3D都市モデル', '3D city model of {name}'],
  picture: ['データのある範囲（3次メッシュ、最高LOD別）', 'Where the data is: 3rd meshes by highest LOD'],
  pictureOfCity: [
    '市全体でデータのある範囲（3次メッシュ、最高LOD別）',
    'Where the data of the city is: 3rd meshes by highest LOD',
  ],
  meshes: ['メッシュ', 'meshes'],
  inShort: ['概要', 'In short'],
  features: ['地物', 'Features'],
  extent: ['データのある面積', 'Area with data'],
  years: ['年度', 'Years'],
  lods: ['最高LOD', 'Highest LOD'],
  licence: ['ライセンス', 'Licence'],
  licenceUnknown: ['記載なし', 'not stated'],
  licencesDiffer: ['データにより異なります：', 'differs by dataset: '],
  size: ['サイズ', 'Size'],
  actions: ['できること', 'Actions'],
  onMap: ['地図で見る', 'Show on the map'],
  in3d: ['3Dで見る', 'Show in 3D'],
  wholeZip: ['CityGMLをまとめてダウンロード', 'Download all CityGML'],
  choose: ['範囲と種類を選んでダウンロード', 'Choose areas and types'],
  statistics: ['統計', 'Statistics'],
  quality: ['品質', 'Quality'],
  qgis: ['QGISプロジェクト', 'QGIS project'],
  allDatasets: ['データ一覧で見る', 'All datasets'],
  types: ['地物型', 'Feature types'],
  type: ['地物型', 'Type'],
  lod: ['LOD', 'LOD'],
  files: ['ファイル', 'Files'],
  year: ['年度', 'Year'],
  table: ['GeoParquet', 'GeoParquet'],
  noCityGml: [
    'CityGMLは公開されていません。タイルだけがあります。',
    'No CityGML is published; there are tiles alone.',
  ],
  floods: ['浸水想定', 'Flood hazard'],
  floodsIntro: [
    '次の河川・海岸などの浸水想定区域があります。',
    'Inundation of these rivers, coasts and lakes is included.',
  ],
  tiles: ['3D Tilesとベクトルタイル', '3D Tiles and vector tiles'],
  tilesIntro: [
    '次のURLは、新しい年度が公開されても変わりません。',
    'These addresses stay the same when a newer edition is published.',
  ],
  name: ['名称', 'Name'],
  format: ['形式', 'Format'],
  texture: ['テクスチャ', 'Textures'],
  yes: ['あり', 'yes'],
  no: ['なし', 'no'],
  address: ['URL', 'Address'],
  calls: ['API', 'API'],
  callsIntro: [
    'どの呼び出しも、このまま端末に貼り付けて実行できます。',
    'Each call runs in a terminal as it is printed.',
  ],
  callFiles: ['CityGMLファイルの一覧', 'All CityGML files'],
  callZip: ['全体のzip', 'Everything as one zip'],
  callCounts: ['地物型ごとの件数', 'Counts by feature type'],
  callItems: ['地物を10件、GeoJSONで', 'Ten features as GeoJSON'],
  callStatistics: ['種類ごとの集計', 'Sums by kind of feature'],
  callTileset: ['3D Tilesのtileset.json', 'The tileset of 3D Tiles'],
  callTileJson: ['ベクトルタイルのTileJSON', 'The TileJSON of vector tiles'],
  callChanges: ['二つの年度の違い', 'What two editions differ in'],
  callTable: ['地物をGeoParquetで', 'Features as GeoParquet'],
  callStac: ['STACのコレクション', 'The STAC collection'],
  copy: ['コピー', 'Copy'],
  copied: ['コピーしました', 'Copied'],
  allCalls: ['APIの説明', 'All operations'],
  history: ['公開の履歴', 'Editions'],
  published: ['取り込み日', 'Ingested'],
  specification: ['製品仕様書', 'Specification'],
  revisionOf: ['パッケージ', 'Package'],
  changes: ['前の年度との違い', 'Changes since the edition before'],
  errors: ['エラー', 'errors'],
  warnings: ['警告', 'warnings'],
  notInspected: ['検査なし', 'not inspected'],
  inspectedPart: ['取り込み時の検査のみ', 'checks of ingestion only'],
  download: ['ダウンロード', 'Download'],
  wards: ['区', 'Wards'],
  notFound: ['ページが見つかりません', 'Page not found'],
  notFoundText: [
    'この名前またはコードの市区町村のデータは公開されていません。',
    'Nothing is published of a municipality with this name or code.',
  ],
  several: ['この名前の市区町村が複数あります。', 'Several municipalities have this name:'],
  toSearch: ['地図と検索へ', 'Map and search'],
} as const satisfies Record<string, readonly [ja: string, en: string]>;

export type Word = keyof typeof WORDS;

/** Words and numbers in one language. */
export interface CityWords {
  readonly language: Language;
  t(word: Word): string;
  number(value: number): string;
  /** A size with its unit, three digits. */
  bytes(value: number): string;
  /** A fiscal year. */
  year(value: number): string;
  /** The day of an ISO 8601 time, in Japan. */
  day(time: string): string;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function cityWords(language: Language): CityWords {
  const locale = language === 'ja' ? 'ja-JP' : 'en-GB';
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const short = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'Asia/Tokyo' });
  return {
    language,
    t: (word) => WORDS[word][language === 'ja' ? 0 : 1],
    number: (value) => numbers.format(value),
    bytes(value) {
      const place = Math.min(
        UNITS.length - 1,
        Math.max(0, Math.floor(Math.log10(Math.max(1, value * 1.0005)) / 3)),
      );
      return `${short.format(value / 1000 ** place)} ${UNITS[place]}`;
    },
    year: (value) => (language === 'ja' ? `${value}年度` : String(value)),
    day: (time) => days.format(new Date(time)),
  };
}
