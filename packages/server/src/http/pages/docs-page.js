/*
 * Shows the OpenAPI description of this service under the header of the portal; nothing is fetched from anywhere else.
 * Language and colours are those of the address (`lang`, `theme`), as in the portal, else those that the browser
 * prefers.
 */

/** Words of the header in Japanese. */
const HEADER = {
  skip: '本文へ移動',
  title: '都市モデルデータ',
  map: 'さがす',
  datasets: 'データ一覧',
  basket: 'ダウンロード',
  status: '稼働状況',
  views: '表示の切り替え',
  language: '言語',
  theme: '配色',
  system: '自動',
  light: 'ライト',
  dark: 'ダーク',
};

/** Words of Swagger UI in Japanese; what the description itself says is in English. */
const SWAGGER = {
  Servers: 'サーバー',
  Parameters: 'パラメーター',
  'No parameters': 'パラメーターはありません',
  'Request body': 'リクエスト本文',
  required: '必須',
  Execute: '実行',
  'Try it out': '試す',
  Cancel: 'やめる',
  Clear: '消す',
  Reset: '元に戻す',
  Name: '名前',
  Description: '説明',
  Responses: '応答',
  Response: '応答',
  'Server response': 'サーバーの応答',
  'Response body': '応答本文',
  'Response headers': '応答ヘッダー',
  'Response content type': '応答の形式',
  'Request URL': 'リクエストURL',
  'Request duration': '所要時間',
  Code: 'コード',
  Details: '詳細',
  Links: 'リンク',
  'No links': 'リンクはありません',
  'Media type': '形式',
  'Example Value': '例',
  Example: '例',
  Examples: '例',
  'Edit Value': '値を編集',
  Schema: 'スキーマ',
  Schemas: 'スキーマ',
  Default: '既定',
  Download: 'ダウンロード',
  'Download file': 'ファイルをダウンロード',
  'Expand all': 'すべて開く',
  'Collapse all': 'すべて閉じる',
  'Send empty value': '空の値を送る',
  'Add string item': '値を追加',
  Undocumented: '説明のない応答',
  'Controls Accept header.': 'Acceptヘッダーになります。',
  'Loading...': '読み込み中…',
  LOADING: '読み込み中…',
};

const root = document.documentElement;
const query = new URLSearchParams(location.search);
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const language = ['ja', 'en'].includes(query.get('lang'))
  ? query.get('lang')
  : (navigator.languages.find((tag) => /^(ja|en)/.test(tag))?.slice(0, 2) ?? 'en');

function showTheme() {
  const chosen = query.get('theme');
  root.dataset.theme = ['light', 'dark'].includes(chosen) ? chosen : prefersDark.matches ? 'dark' : 'light';
  root.classList.toggle('dark-mode', root.dataset.theme === 'dark');
}

/** Writes what was chosen into the links back. */
function keepInLinks() {
  for (const link of document.querySelectorAll('a[data-keeps]')) {
    const to = new URL(link.href);
    for (const name of ['lang', 'theme']) {
      if (query.has(name)) to.searchParams.set(name, query.get(name));
      else to.searchParams.delete(name);
    }
    link.href = to.pathname + to.search;
  }
}

/** The address of this page with a parameter of its query changed. */
function addressWith(name, value) {
  if (value === '') query.delete(name);
  else query.set(name, value);
  return location.pathname + (query.size === 0 ? '' : `?${query}`) + location.hash;
}

function showHeader() {
  if (language === 'ja') {
    document.title = `API – ${HEADER.title}`;
    for (const element of document.querySelectorAll('[data-word]')) {
      element.textContent = HEADER[element.dataset.word];
    }
    for (const element of document.querySelectorAll('[data-label]')) {
      element.setAttribute('aria-label', HEADER[element.dataset.label]);
    }
  }
  for (const button of document.querySelectorAll('.languages button')) {
    button.setAttribute('aria-pressed', String(button.value === language));
    button.addEventListener('click', () => location.assign(addressWith('lang', button.value)));
  }
  const theme = document.getElementById('theme');
  theme.value = ['light', 'dark'].includes(query.get('theme')) ? query.get('theme') : '';
  theme.addEventListener('change', () => {
    history.replaceState(null, '', addressWith('theme', theme.value));
    showTheme();
    keepInLinks();
  });
  keepInLinks();
}

/** Puts what Swagger UI says by itself into Japanese. */
function translate(docs) {
  const texts = document.createTreeWalker(docs, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const words = SWAGGER[node.data.trim()];
    // Values and text of the description may be the same words.
    if (words === undefined || node.parentElement.closest('pre, textarea, .markdown, .renderedMarkdown'))
      continue;
    node.data = words;
    node.parentElement.lang = 'ja';
  }
}

/** Names what Swagger UI leaves without a name, and makes reachable by keys what it leaves out. */
function mend(docs) {
  const name = (element, words) => {
    if (!element.hasAttribute('aria-label')) element.setAttribute('aria-label', words);
  };
  for (const part of docs.querySelectorAll('.information-container, .scheme-container')) {
    part.setAttribute('role', 'region');
    name(part, part.matches('.scheme-container') ? 'Servers' : 'About');
  }
  for (const select of docs.querySelectorAll('#servers')) name(select, 'Servers');
  for (const field of docs.querySelectorAll('[data-param-name] :is(input, select, textarea)')) {
    name(field, field.closest('[data-param-name]').dataset.paramName);
  }
  for (const field of docs.querySelectorAll('.opblock-section-request-body :is(input, select, textarea)')) {
    name(field, 'Request body');
  }
  for (const field of docs.querySelectorAll('.responses-wrapper select')) name(field, 'Media type');
  // Levels of headings without a gap: the title of the page is the first.
  for (const heading of docs.querySelectorAll('main :is(h3, h4, h5)')) {
    heading.ariaLevel = String(Number(heading.localName.charAt(1)) - 1);
  }
  // A link inside a button is one control too many; the button writes the same address.
  for (const link of docs.querySelectorAll('button a[href]')) link.removeAttribute('href');
  for (const text of docs.querySelectorAll('pre.microlight')) text.tabIndex = 0;
}

showTheme();
prefersDark.addEventListener('change', showTheme);
root.lang = language;

addEventListener('DOMContentLoaded', () => {
  const docs = document.getElementById('docs');
  showHeader();
  new MutationObserver(() => {
    if (language === 'ja') translate(docs);
    mend(docs);
  }).observe(docs, { childList: true, characterData: true, subtree: true });
  window.SwaggerUIBundle({
    url: docs.dataset.url,
    domNode: docs,
    deepLinking: true,
    validatorUrl: null,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
  });
});
