/** Words of the operator's page in both languages, and the choice between them. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type Language = 'ja' | 'en';

const en = {
  title: 'Operator',
  portal: 'City Model Data',
  views: 'Views',
  map: 'Map',
  datasets: 'Datasets',
  basket: 'Basket',
  status: 'Status',
  language: 'Language',
  theme: 'Theme',
  themeSystem: 'System',
  themeLight: 'Light',
  themeDark: 'Dark',
  token: 'Token of the operator (ADMIN_TOKEN)',
  signIn: 'Sign in',
  signOut: 'Sign out',
  tokenWrong: 'This is not the token of the operator.',
  tokenLater: 'Too many wrong tokens. Wait a minute.',
  uploads: 'Upload packages',
  uploadsHelp:
    'Choose zips or PMTiles files. Each is read and checked first; nothing is published before you say so. A broken ' +
    'upload goes on when you choose the same file again.',
  choose: 'Choose files',
  pause: 'Pause',
  goOn: 'Go on',
  discard: 'Delete',
  chooseAgain: 'Choose the same file again to go on.',
  uploadDone: 'Uploaded. Its job is below.',
  tooLarge: 'The file is larger than the server takes:',
  jobs: 'Jobs',
  noJobs: 'There are no jobs.',
  what: 'Package',
  state: 'State',
  progress: 'Progress',
  askedFor: 'Asked for',
  actions: 'Actions',
  state_queued: 'waits',
  state_running: 'runs',
  state_failed: 'failed, is tried again',
  state_succeeded: 'succeeded',
  state_dead: 'given up',
  state_cancelled: 'cancelled',
  cancelling: 'is being cancelled',
  publish: 'Publish',
  publishReplace: 'Publish in place of another revision',
  cancel: 'Cancel',
  retry: 'Try again',
  forget: 'Remove from the list',
  details: 'Details',
  hide: 'Hide',
  dryRun: 'dry run',
  kind_ingest: 'ingest',
  kind_convert: 'convert',
  kind_inspect: 'inspect',
  kind_compare: 'compare',
  kind_tables: 'tables',
  kind_pictures: 'pictures',
  kind_pack: 'pack',
  kind_reindex: 'reindex',
  kind_sweep: 'sweep',
  convertToo: 'Make 3D and vector tiles too',
  previewMap: 'Where the package lies, and where checks found something',
  previewMeshes: 'Meshes with files:',
  previewPlaces: 'places of findings:',
  outcome_understood: 'would be published',
  outcome_published: 'published',
  outcome_replaced: 'published in place of another revision',
  outcome_unchanged: 'is there already; nothing to do',
  place: 'Place',
  year: 'Year',
  types: 'Feature types',
  files: 'Files',
  specification: 'Specification',
  licence: 'Licence',
  guessed: 'Guessed',
  registrationYear: 'Registration year',
  revision: 'Revision',
  lod: 'LOD',
  issues: 'Issues',
  quality: 'Quality',
  qualityOf: 'Official rules of product specification',
  qualityHelp:
    'Checks without geometry only; an inspection looks at all. Findings keep no package from being published.',
  noIssues: 'No issues.',
  noIssuesShort: 'none',
  severity_error: 'errors',
  severity_warning: 'warnings',
  severity_info: 'notes',
  moreIssues: 'further ones of this kind:',
  issuesFailed: 'The issues could not be fetched.',
  features: 'Features',
  packages: 'Packages',
  noPackages: 'There are no packages.',
  archive: 'Archive',
  ingested: 'Ingested',
  convert: 'Make 3D and vector tiles',
  retired: 'replaced',
  removed: 'removed',
  bringBack: 'Bring back',
  bringBackText: 'Publishes it again. A revision that took its place is replaced in turn.',
  remove: 'Remove',
  removeTitle: 'Remove this package?',
  removeText:
    'Its addresses stop answering at once, and its archive is deleted after the time of grace. Type the name of the ' +
    'package to confirm:',
  back: 'Back',
  previous: 'Previous',
  next: 'Next',
  page: 'Page',
  loading: 'Loading …',
  offline: 'The server does not answer. It is tried again.',
} as const;

const ja: Record<Key, string> = {
  title: '運用者',
  portal: '都市モデルデータ',
  views: '表示の切り替え',
  map: 'さがす',
  datasets: 'データ一覧',
  basket: 'ダウンロード',
  status: '稼働状況',
  language: '言語',
  theme: '配色',
  themeSystem: '自動',
  themeLight: 'ライト',
  themeDark: 'ダーク',
  token: '運用者のトークン（ADMIN_TOKEN）',
  signIn: 'サインイン',
  signOut: 'サインアウト',
  tokenWrong: '運用者のトークンではありません。',
  tokenLater: '誤ったトークンが多すぎます。1分お待ちください。',
  uploads: 'パッケージのアップロード',
  uploadsHelp:
    'zip または PMTiles ファイルを選んでください。まず内容を確認します。公開は指示があるまで行いません。途切れたアップロードは、同じファイルをもう一度選ぶと続きから再開します。',
  choose: 'ファイルを選ぶ',
  pause: '一時停止',
  goOn: '再開',
  discard: '削除',
  chooseAgain: '再開するには、同じファイルをもう一度選んでください。',
  uploadDone: 'アップロード完了。結果は下のジョブにあります。',
  tooLarge: 'サーバーが受け付ける大きさを超えています：',
  jobs: 'ジョブ',
  noJobs: 'ジョブはありません。',
  what: 'パッケージ',
  state: '状態',
  progress: '進み具合',
  askedFor: '受付',
  actions: '操作',
  state_queued: '待機中',
  state_running: '実行中',
  state_failed: '失敗、再試行します',
  state_succeeded: '成功',
  state_dead: '中止（再試行なし）',
  state_cancelled: '取り消し済み',
  cancelling: '取り消し中',
  publish: '公開する',
  publishReplace: '別の版と置き換えて公開する',
  cancel: '取り消す',
  retry: 'もう一度試す',
  forget: '一覧から消す',
  details: '詳細',
  hide: '閉じる',
  dryRun: '確認のみ',
  kind_ingest: '取り込み',
  kind_convert: '変換',
  kind_inspect: '検査',
  kind_compare: '比較',
  kind_tables: '表の作成',
  kind_pictures: '画像の作成',
  kind_pack: 'パックの作成',
  kind_reindex: '索引の作成',
  kind_sweep: '整理',
  convertToo: '3Dタイルとベクトルタイルも作る',
  previewMap: 'パッケージの範囲と、検査で見つかった箇所',
  previewMeshes: 'ファイルのあるメッシュ：',
  previewPlaces: '検査結果の箇所：',
  outcome_understood: '公開できます',
  outcome_published: '公開しました',
  outcome_replaced: '別の版と置き換えて公開しました',
  outcome_unchanged: 'すでに公開されています',
  place: '場所',
  year: '年度',
  types: '地物型',
  files: 'ファイル数',
  specification: '製品仕様書',
  licence: 'ライセンス',
  guessed: '推定した項目',
  registrationYear: '登録年度',
  revision: '版',
  lod: 'LOD',
  issues: '指摘事項',
  quality: '品質検査',
  qualityOf: '製品仕様書の品質基準：第',
  qualityHelp:
    '幾何を要しない検査のみの結果です（すべての検査は inspect で行います）。エラーがあっても公開できます。',
  noIssues: '指摘事項はありません。',
  noIssuesShort: 'なし',
  severity_error: 'エラー',
  severity_warning: '警告',
  severity_info: '情報',
  moreIssues: '同じ種類のほかの件数：',
  issuesFailed: '指摘事項を取得できませんでした。',
  features: '地物数',
  packages: 'パッケージ',
  noPackages: 'パッケージはありません。',
  archive: 'アーカイブ',
  ingested: '取り込み',
  convert: '3D Tiles・ベクトルタイルを作成',
  retired: '置き換え済み',
  removed: '削除済み',
  bringBack: '元に戻す',
  bringBackText: 'もう一度公開します。代わりに公開中の版は置き換えられます。',
  remove: '削除',
  removeTitle: 'このパッケージを削除しますか？',
  removeText:
    'アドレスはすぐに応答しなくなり、アーカイブは猶予期間の後に消えます。確認のため、パッケージの名前を入力してください：',
  back: '戻る',
  previous: '前へ',
  next: '次へ',
  page: 'ページ',
  loading: '読み込み中…',
  offline: 'サーバーが応答しません。再試行しています。',
};

export type Key = keyof typeof en;

/** Where the browser keeps the language that was chosen. */
const LANGUAGE = 'citymodel-admin-language';

/** The language of the link that led here, else the one that was chosen, else what the browser prefers. */
export function languageNow(): Language {
  const chosen = new URLSearchParams(location.search).get('lang') ?? localStorage.getItem(LANGUAGE);
  if (chosen === 'ja' || chosen === 'en') return chosen;
  return navigator.languages.find((tag) => /^(ja|en)\b/.test(tag))?.startsWith('ja') ? 'ja' : 'en';
}

/** Keeps the language for the next visit; the link that led here no longer says which. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(LANGUAGE, language);
  if (location.search !== '') history.replaceState(null, '', location.pathname);
}

export const LanguageContext = createContext<Language>('en');

/** The words of this page, and numbers, bytes and times as its language writes them. */
export interface AdminWords {
  language: Language;
  t(key: Key): string;
  number(value: number): string;
  bytes(value: number): string;
  /** Day and minute of a time in ISO 8601. */
  time(value: string): string;
}

export function useAdminWords(): AdminWords {
  return WORDS[useContext(LanguageContext)];
}

const WORDS: Record<Language, AdminWords> = {
  en: wordsOf('en', en, 'en-GB'),
  ja: wordsOf('ja', ja, 'ja-JP'),
};

function wordsOf(language: Language, words: Record<Key, string>, locale: string): AdminWords {
  const numbers = new Intl.NumberFormat(locale);
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const scaled = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  return {
    language,
    t: (key) => words[key],
    number: (value) => numbers.format(value),
    bytes: (value) =>
      value < 999_500
        ? `${scaled.format(value / 1e3)} kB`
        : value < 1e9
          ? `${scaled.format(value / 1e6)} MB`
          : `${scaled.format(value / 1e9)} GB`,
    time: (value) => times.format(new Date(value)),
  };
}
