/** What `docs/settings.ja.md` says of each part and setting; the compiler names those that are missing. */
import type { SETTINGS, SETTINGS_BY_PART } from '../packages/server/src/base/settings.ts';

export const PARTS_IN_JAPANESE: Record<keyof typeof SETTINGS_BY_PART, string> = {
  Addresses: 'アドレス',
  Stores: 'データの置き場',
  Catalogue: 'カタログ',
  Features: '地物',
  Packs: 'zip（パック）',
  GraphQL: 'GraphQL',
  Jobs: 'ジョブ',
  'Requests and connections': '要求と接続',
  Operating: '運用',
  Portal: 'ポータル',
};

export const SETTINGS_IN_JAPANESE: Record<keyof typeof SETTINGS, string> = {
  PORT: '待ち受ける TCP ポート。0 なら空いているものを選びます。',
  WORKER_PORT:
    '`citymodel worker` が HOST で `/health/live`、`/health/ready`、`/metrics` に応答する TCP ポート。0 なら空いているものを選び、' +
    '-1 なら応答しません。',
  HOST: '待ち受けるアドレス。',
  PUBLIC_URL:
    '利用者から見たこのサービスのアドレス。指定しなければ `http://localhost:{PORT}` です。応答に含まれる URL は、すべてこれから作ります。要求からは決して作りません。',
  ASSET_URL:
    'ファイルのアドレス。空なら `{PUBLIC_URL}/assets` です。そのホストが、インターフェースのいう CMS のホストになります。',
  CMS_HOSTS:
    'サービスが自分のものとして扱う、ほかのホストの名前。写してきたパッケージの元のホストなどをコンマで区切って書きます。',
  TRUSTED_PROXIES:
    '`X-Forwarded-For` で利用者を示すことを認めるリバースプロキシーのアドレスまたはネットワーク（CIDR）。コンマで区切ります。空なら、接続の相手を利用者とみなします。',
  DATA_DIR: '内蔵の置き場のディレクトリ。',
  DATABASE_URL:
    'データベース：`postgres://user:password@host:port/database?sslmode=verify-full`。' +
    'アドレスにないものは `PGPASSWORD` などの通常の変数で補います。空なら `DATA_DIR` の中の SQLite です。',
  DATABASE_POOL:
    '1 つのプロセスから PostgreSQL への接続の最大数。このほかに 1 つ、変更を待つ接続があります。',
  DATABASE_CONNECT_TIMEOUT_MS: '要求が PostgreSQL への接続を待つミリ秒数。過ぎると 503 を返します。',
  DATABASE_STATEMENT_TIMEOUT_MS:
    '要求の 1 つの SQL 文に PostgreSQL がかけてよいミリ秒数。過ぎると 503 を返します。',
  OBJECT_STORE:
    'アーカイブの置き場。空なら `DATA_DIR` の中のディレクトリです。S3 のバケットは `s3://bucket/prefix` で、' +
    'AWS でなければ `?endpoint=https://s3.example.jp&region=ap-northeast-1&pathStyle=true` を付けます。' +
    '鍵は `AWS_ACCESS_KEY_ID` と `AWS_SECRET_ACCESS_KEY`、プロファイル、または機械のロールから得ます。' +
    'Azure Blob Storage のコンテナーは `az://container/prefix?account=name` で、鍵は `AZURE_STORAGE_KEY` から、' +
    'トークンは `AZURE_STORAGE_SAS_TOKEN` から得ます。',
  ASSET_REDIRECT:
    '市全体の zip と、書き出した zip を、利用者がどこから読むか。空ならサーバーから。`presigned` なら、1 時間有効な署名付きアドレスでバケットに転送します。アドレスを書くと、' +
    'その後ろにオブジェクトのキーを付けた場所に転送します。そこで CDN や公開バケットが応答します。',
  CACHE_DIR:
    '離れたオブジェクトストアのブロックのうち、索引のように何度も読むものを置く、ローカルディスクのディレクトリ。空なら `DATA_DIR` の中の `cache` です。複数のプロセスで共有でき、' +
    'いつ消してもかまいません。',
  CACHE_MB: 'キャッシュのディレクトリの最大の大きさ（MB）。0 ならディスクには何も置きません。',
  CACHE_MEMORY_MB: '離れたオブジェクトストアのブロックを、プロセスがメモリーに保持する量（MB）。',
  CATALOGUE_POLL_MS: 'ほかのプロセスがカタログを変えたかを、サーバーが調べる間隔（ミリ秒）。',
  CATALOGUE_QUIET_MS:
    '続けて起きた変更は、これだけのミリ秒数変更がなければ表示します。1 つだけの変更はすぐに表示します。',
  CATALOGUE_GATHER_MS: '変更が続いていても、遅くともこれだけのミリ秒数で表示します。',
  CATALOGUE_SWITCH_MS:
    '1 つの PostgreSQL につながるすべてのサーバーが、変更からこのミリ秒数の後に、データベースの時計に合わせて一斉に切り替えます。それまでに準備をするので、準備にかかる時間の 2 倍にします。' +
    'すべてのサーバーで同じ値にします。0 なら、それぞれ準備ができ次第表示します。SQLite では不要です。',
  RETIRED_GRACE_S:
    '置き換えられた版のファイルがまだ応答する秒数。ASSET_MAX_AGE_S より長くします。誰かが保持している tileset が、そのタイルより長く残ってはならないためです。',
  ASSET_MAX_AGE_S:
    'tileset や GML のように、ほかのファイルを指すことがあるパッケージのファイルを、ブラウザーやキャッシュが保持する秒数。タイルと画像は何も指さないので 1 年保持します。' +
    'その URL には内容の ID が入っています。',
  FILE_LIST_CACHE_MB:
    'ファイル検索の圧縮済みの応答を、サーバーがメモリーに保持する量（MB）。1 つの市区町村の一覧は約 50 kB です。',
  MAX_BOUNDS: '1 回の要求に書けるメッシュコード、空間 ID、市区町村コードの数。',
  GEOCODER_URL:
    '地名辞典にない `g:` 条件を尋ねる外部のジオコーダー（Nominatim 形式、または国土地理院の住所検索）。空なら使いません。',
  GEOCODER_TIMEOUT_MS: 'これだけのミリ秒数応答がなければ、外部のジオコーダーにつながらないとみなします。',
  GEOCODER_AT_ONCE: '外部のジオコーダーへの同時の要求の最大数。それを超える利用者には 503 を返します。',
  GEOCODER_RATE:
    '外部のジオコーダーへの 1 分間の要求の最大数（全利用者の合計）。0 なら制限しません。答えは 1 時間保持します。',
  ATTRIBUTION:
    'TileJSON に書く出典（空なら、市区町村の名前とライセンス）と、DCAT でのカタログの公開者（空なら、ホストの名前）。',
  FEATURE_MAX_IDS: '属性の 1 回の要求に書ける gml:id の数。',
  FEATURE_GEOMETRY_MB:
    '形状を読む地物の、テキストの最大の大きさ（MB）。メモリーはその 10 倍要ります。より大きな地物では、範囲の矩形を外形とみなし、応答に形状を含めません。',
  FEATURE_MAX_ITEMS:
    '1 回の要求でサーバーが調べる地物とファイルの数に、それぞれと比べる空間 ID や頂点の数を掛けたものの上限。',
  FEATURE_MAX_READ_MB: '1 回の要求でサーバーが読む地物のテキストの上限（MB）。',
  FEATURE_INDEX_CACHE_MB:
    '地物の索引をサーバーがメモリーに保持する量（MB）。索引は地物 1 つにつき約 250 バイトです。0 なら、要求のたびに必要な分を読みます。',
  FEATURE_BLOCK_CACHE_MB: '展開した GML のテキストをサーバーがメモリーに保持する量（MB）。',
  FEATURE_RECORD_CACHE_MB:
    'ID で求められた地物の属性を、JSON としてサーバーがメモリーに保持する量（MB）。8 分の 1 は最近のもの、残りは再び求められたもので、1 つで約 1 kB です。',
  FEATURE_TABLE_MB:
    'すべての列が分かるまで 1 つの応答がメモリーに置く地物の量（`format=csv`、`format=flatgeobuf`）（MB）。それを超える分はディスクで待ちます。',
  FEATURE_SPOOL_MB:
    '応答の列が決まるのを待つ地物が `DATA_DIR` の下で使えるディスクの量。全応答の合計（MB）。',
  PACK_MAX_URLS: '1 つの zip に入れられる、異なる URL の数。',
  PACK_MAX_BYTES: '1 つの zip の最大の大きさ（バイト）。',
  PACK_QUOTA_BYTES:
    'すべての zip がデータベースとオブジェクトストアで使えるバイト数。最後に求められてから最も長くたったものから消します。書き出した zip は全体を数えます。' +
    'どの場合も PACK_MAX_BYTES の 2 倍までは使えます。',
  PACK_RATE: '1 つのアドレスが 1 分間に依頼できる zip の数。0 なら制限しません。',
  PACK_RETENTION_S: 'でき上がった zip をダウンロードできる秒数。最後に求められたときから数えます。',
  PACK_TIMEOUT_S: '1 つの zip を作るのをあきらめるまでの秒数。',
  PACK_MATERIALISE:
    'zip をオブジェクトストアに書き出すか、アーカイブから流しながら送るか。`auto` は、オブジェクトストアが離れた場所にあるとき書き出します。バイト列は同じです。',
  PACK_WORKERS:
    'サーバーまたは `citymodel worker` が同時に作る zip の数。0 なら、サーバーはワーカーに任せます。',
  GRAPHQL_MAX_DEPTH: 'GraphQL の問い合わせで、フィールドの中にフィールドを重ねられる深さ。',
  GRAPHQL_MAX_ALIASES: 'GraphQL の問い合わせに書ける別名の数。',
  GRAPHQL_MAX_TOKENS: 'GraphQL の問い合わせに書ける語と記号の数。',
  GRAPHQL_MAX_BYTES: '受け付ける GraphQL の問い合わせの最大の長さ（バイト）。変数は数えません。',
  GRAPHQL_MAX_BODY_BYTES: 'GraphQL の要求の本文の最大の長さ（バイト）。`MAX_BODY_BYTES` も適用されます。',
  GRAPHQL_MAX_LIST: '地域コードや ID など、GraphQL の引数の 1 つのリストに書ける項目の数。',
  GRAPHQL_MAX_SEARCH_TOKENS: 'GraphQL の絞り込みに書ける `searchTokens` の数。',
  GRAPHQL_MAX_COST:
    'GraphQL の応答に含められるフィールドの数に、絞り込みで調べるものの数と条件の数の積を加えたものの上限。全国のすべてのデータセットのすべてのフィールドで約 1,000,000 です。',
  GRAPHQL_MAX_ANSWER_BYTES:
    'GraphQL の応答の最大の大きさ（圧縮前のバイト数）。全国のすべてのデータセットのすべてのフィールドで約 26 MB です。',
  JOB_WORKERS:
    '1 つの `citymodel worker` が同時に行う、取り込みなどのジョブの数。0 なら zip だけを作ります。サーバーは、待っているジョブがあると自分のワーカーを起動します。検査、比較、' +
    '表はいつも、アップロードと変換は ADMIN_TOKEN があるときです。0 なら、すべてほかに任せます。',
  JOB_MEMORY_MB:
    '1 つのワーカーのジョブが合わせて使えるメモリー（種類ごとの見積もりによる、MB）。1 つのジョブは必ず動きます。',
  JOB_ATTEMPTS: '失敗するジョブをあきらめるまでの試行回数。その後は失敗の一覧に残り、人が再試行できます。',
  JOB_RETRY_S: '2 回目の試行までの秒数。試行のたびに 2 倍になり、最長で 1 時間です。',
  JOB_LEASE_S: 'ワーカーから応答がないまま、この秒数がたつと、別のワーカーがジョブを引き継ぎます。',
  JOB_TIMEOUT_S: 'ジョブの 1 回の試行を打ち切る秒数。失敗に数えます。',
  JOB_POLL_MS: 'ワーカーがジョブを探す間隔（ミリ秒）。PostgreSQL は、新しいジョブをすぐに知らせもします。',
  JOB_RETENTION_S:
    '終わったジョブと、そのためにオブジェクトストアに置いたアップロードを、プログラムが消すまでの秒数。',
  TABLES:
    '`published` なら、公開した CityGML パッケージごとに、地物の GeoParquet をジョブで作ります（docs/tables.md）。' +
    '足りないものは `citymodel reindex` が作ります。`off` なら作りません。',
  PICTURES:
    '`published` なら、公開した 3D Tiles パッケージごとに、一覧とリンクのための画像をジョブで描きます（docs/pictures.md）。' +
    '足りないものは `citymodel reindex` が描きます。`off` なら描きません。',
  INSPECT:
    '`published` なら、ワーカーが公開した CityGML パッケージごとに、公式の品質規則による検査をジョブで行います（docs/inspecting.md）。',
  REFUSE_FINDINGS:
    '品質検査のコードをコンマで区切ったもの（例：`C08,L02`）。そのコードのエラーか警告がある CityGML パッケージは、取り込みと試し読みで拒否されます。空なら、' +
    '検査結果のために公開が止まることはありません。',
  GEOID:
    '`convert` が標高を楕円体高に直すためのジオイド高のファイル：GeoTIFF（`.tif`）、国土地理院の `.asc`、または `.isg`。空なら、' +
    'プログラムに付属する日本の GSIGEO2011 です。',
  GEOID_DATUM:
    '`GEOID` のファイルが、日本のどちらの標高に対応するか。2025 年 4 月の改定より前（GSIGEO2011）か、後（JPGEO2024）か。もう一方の標高は先に改定分を補正します。' +
    'ほかの国では `jgd2011` です。',
  HEIGHTS:
    '`--heights` の指定がないとき、`convert` が標高をどう扱うか。1 つのサーバーのタイルは、すべて同じ鉛直系にします。取り込みを伴う変換は、' +
    'もう一方の（`elevation` か楕円体の）`--heights` を拒否します。',
  MAX_URL_BYTES:
    '受け付ける要求行とヘッダーの最大の長さ（バイト）。gml:id が 1 万個で約 430,000 バイトです。',
  MAX_BODY_BYTES: '受け付ける要求の本文の最大の大きさ（バイト）。',
  MAX_BODIES_BYTES:
    'サーバーが同時にメモリーに置く要求の本文のバイト数。1 つのアドレスにはその 4 分の 1 まで。超える要求には `Retry-After` を付けて 503 を返します。',
  MAX_DROPPED_BYTES:
    '利用者が応答を読めるように、拒否した本文をサーバーが読んで捨てるバイト数。その後は接続を閉じます。',
  MAX_CONNECTIONS: 'サーバーが開いておく接続の数。それを超えるものはすぐに閉じます。',
  MAX_PIPELINED: '1 つの接続で、サーバーが同時に処理する未応答の要求の数。残りは待ちます。',
  MAX_LONG_POLLS: 'zip の状態を同時に待てる利用者の数。それを超える利用者には、現在の状態をすぐに返します。',
  LONG_POLLS_PER_ADDRESS: '同じく、1 つのアドレス（IPv6 では 1 つの /64 ネットワーク）の数。',
  REQUEST_TIMEOUT_S: '要求の全体が届かなければならない秒数。',
  IDLE_TIMEOUT_S: '1 バイトも届かないまま、接続を閉じるまでの秒数。',
  SHUTDOWN_GRACE_S: 'SIGTERM か SIGINT の後、処理中の要求に与える秒数。',
  DRAIN_S:
    'SIGTERM か SIGINT の後も、`/health/ready` で 503 を返しながら応答を続ける秒数。負荷分散装置が気づくための時間です。その後ろにあるときは、' +
    '健全性の確認の間隔の 2 倍にします。',
  LOG_LEVEL: 'ログに残す最も低い重要度。',
  LOOP_WARN_MS:
    'イベントループの 1 回の計算がこのミリ秒数に達すると、要求とともに警告をログに残します。0 なら残しません。',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    '要求、置き場、ジョブのスパンを OTLP over HTTP で送る OpenTelemetry の収集先（`{address}/v1/traces`）。空なら送りません。' +
    '`OTEL_EXPORTER_OTLP_HEADERS` と `OTEL_EXPORTER_OTLP_COMPRESSION` も通常どおり効きます。',
  OTEL_SERVICE_NAME: 'スパンに書くこのサービスの名前。',
  OTEL_TRACES_SAMPLER_ARG:
    '送るトレースの割合（0～1）。利用者が始めたトレースは、その `traceparent` が求めるときに送ります。',
  SECURITY_CONTACT:
    'このサービスの脆弱性の報告先。最もよいものを先に書きます。`/.well-known/security.txt`（RFC 9116）に載ります。空なら、そのファイルはありません。',
  SECURITY_POLICY: '脆弱性の報告の取り扱いを述べるページ。同じファイルに載ります。空なら載せません。',
  STATUS_PACK_IDS:
    '`/status.json` に zip の ID を全部示すか。このファイルは誰でも読め、ID を知っていれば誰でもその zip をダウンロードできます。',
  ADMIN_TOKEN:
    '運用者の秘密のトークン。`/admin` の運用者のページ（アップロード、ジョブ、パッケージの削除）を開きます。空なら、そのページも操作もありません。',
  UPLOAD_MAX_BYTES: '運用者がブラウザーからアップロードできるパッケージの最大の大きさ（バイト）。',
  UPLOAD_MAX_COUNT: '同時に未完了でよいアップロードの数。',
  UPLOAD_KEEP_S: '1 バイトも届かないまま、未完了のアップロードを消すまでの秒数。',
  BASE_MAP_URL:
    'ポータルの地図の下に敷くラスタータイル。`{z}`、`{x}`、`{y}` を含む形で書きます。空なら敷かないので、ほかのホストには何も問い合わせません。' +
    '日本では `https://cyberjapandata.gsi.go.jp/xyz/pale/{z}/{x}/{y}.png` が適しています。',
  BASE_MAP_ATTRIBUTION: '地図に示す背景地図の出典。リンクなどの HTML を書けます。',
  EMBED_ORIGINS:
    '3D 表示をフレームに入れて命令を送ることを認めるページのオリジン。コンマで区切ります（docs/embedding.md）。`*` ならすべてのページ、空ならこのサービスのページだけです。' +
    'ほかの表示を、別のオリジンのフレームに入れることはできません。',
};
