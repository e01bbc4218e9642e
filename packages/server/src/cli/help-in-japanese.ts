/** Help of the commands in Japanese, by the English that the commands have. */
export const HELP_IN_JAPANESE: Readonly<Record<string, string>> = {
  // Commander's own words.
  'Usage:': '使い方：',
  'Options:': 'オプション：',
  'Commands:': 'コマンド：',
  'Arguments:': '引数：',
  'display help for command': 'コマンドの説明を表示する',
  'output the version number': '版を表示する',

  // Commands.
  'Publishes 3D city models: CityGML, 3D Tiles and MVT packages behind one public interface.':
    '3D 都市モデル（CityGML、3D Tiles、MVT のパッケージ）を、1 つの公開インターフェースで配信します。',
  'Serve the catalogue, the searches and the assets.': 'カタログ、検索、ファイルを配信します。',
  'Ingest packages: CityGML, 3D Tiles or MVT, as zips, directories or PMTiles files.':
    'CityGML、3D Tiles、MVT のパッケージ（zip、ディレクトリ、PMTiles ファイル）を取り込みます。',
  'List the packages in the store.': '置き場にあるパッケージの一覧を表示します。',
  'Remove packages from the catalogue. Their URLs stop answering; their archives are deleted after RETIRED_GRACE_S.':
    'パッケージをカタログから削除します。その URL は応答しなくなり、アーカイブは RETIRED_GRACE_S の後に消えます。',
  ['Make packages live again that were replaced or removed, as long as they are kept (RETIRED_GRACE_S). What ' +
    'took their place is replaced in turn.']:
    '置き換えられたか削除されたパッケージを、残っているあいだ（RETIRED_GRACE_S）、公開中に戻します。代わりにあったものは置き換えられます。',
  'List what caches before the service have to drop after changes of the catalogue.':
    'カタログが変わった後に、サービスの前段のキャッシュが捨てるべきものの一覧を表示します。',
  'Write the STAC catalogue as files, which a bucket or any web server can serve.':
    'STAC カタログをファイルに書きます。バケットやどの Web サーバーからも配信できます。',
  ['Compare every archive with its index and the database. Exits with 1 when something is wrong. Objects ' +
    'that nothing refers to, and indexes without sums of pages, are named and are not wrong.']:
    'すべてのアーカイブを、索引およびデータベースと照合します。異常があれば 1 で終わります。どこからも参照されないオブジェクトと、ページごとの検査値のない索引も挙げますが、異常とはしません。',
  ['Check CityGML packages by the official rules of quality. The exit code is 0 for no errors, 1 for errors, ' +
    '2 for a package that cannot be inspected.']:
    'CityGML パッケージを公式の品質規則で検査します。終了コードは、エラーなしが 0、ありが 1、検査できないパッケージがあれば 2 です。',
  'Make 3D Tiles and vector tiles of CityGML packages. The same command continues a conversion that was stopped.':
    'CityGML パッケージから 3D Tiles とベクトルタイルを作ります。止まった変換は、同じコマンドで続きから進みます。',
  ['Rebuild indexes that this version cannot read, and make tables of features and pictures that are missing. ' +
    'Servers may run meanwhile. Exits with 1 when one could not be made.']:
    'この版で読めない索引を作り直し、足りない地物の表と画像を作ります。サーバーは動かしたままでかまいません。作れないものがあれば 1 で終わります。',
  'Find files by condition and download them as one zip. The same command continues a download that broke off.':
    '条件に合うファイルを探し、1 つの zip としてダウンロードします。途切れたダウンロードは、同じコマンドで続きから進みます。',
  ['Do jobs and build packs until SIGTERM or SIGINT. Any number of workers may run, on any machine that ' +
    'reaches the stores.']:
    'SIGTERM か SIGINT まで、ジョブを行い zip を作ります。置き場に届く機械なら、どこでもいくつでも動かせます。',
  'List jobs, cancel them and retry them.': 'ジョブの一覧表示、取り消し、再試行をします。',
  'List jobs that have not ended, the newest first.': '終わっていないジョブを、新しい順に表示します。',
  'Show one job with its payload and its result.': '1 つのジョブを、入力と結果とともに表示します。',
  'Cancel jobs. Running jobs end within seconds.': 'ジョブを取り消します。実行中のものは数秒で終わります。',
  'Queue jobs again that were given up or cancelled, or that wait for their next attempt.':
    'あきらめたか取り消したジョブ、または次の試行を待つジョブを、もう一度登録します。',
  ['Copy everything to another database, another object store, or both, while servers run. Print the ' +
    'settings to change. Run the same command again to continue after an interruption, or to catch up.']:
    'サーバーを動かしたまま、すべてを別のデータベース、別のオブジェクトストア、またはその両方へ写し、変えるべき設定を表示します。途切れた後や、その後の変更を写すには、同じコマンドをもう一度実行します。',
  ['Back up the database and all objects that it refers to, while servers run. Copies what the place has ' +
    'not, and compares each copy. Exits with 1 when a package cannot be backed up.']:
    'サーバーを動かしたまま、データベースと、それが参照するすべてのオブジェクトのバックアップを取ります。置き場所にないものを写し、写しを照合します。取れないパッケージがあれば 1 で終わります。',
  ['Bring a backup into the empty database and the object store of the settings. The store may be the old ' +
    'one: what is there and right stays. Exits with 1 when something cannot be restored.']:
    'バックアップを、設定の示す空のデータベースとオブジェクトストアに戻します。オブジェクトストアは元のものでもかまいません。正しくあるものはそのまま使います。戻せないものがあれば 1 で終わります。',
  'Generate the packages of an invented city. The same seed gives the same packages.':
    '架空の都市のパッケージを作ります。同じ種（seed）からは同じパッケージができます。',
  'Generate the sample city, convert it to tiles, ingest it into a store of its own, and serve it.':
    '見本の都市を作り、タイルに変換し、専用の置き場に取り込んで配信します。',

  // Arguments and options.
  ['take over the objects in OBJECT_STORE, which belong to another database; say so only when nobody uses ' +
    'that one any more']:
    'OBJECT_STORE の、別のデータベースのものであるオブジェクトを引き取る。そのデータベースを誰も使っていないときだけ指定する',
  'zips, package directories, PMTiles files, or a directory that holds such uploads':
    'zip、パッケージのディレクトリ、PMTiles ファイル、またはそれらの入ったディレクトリ',
  'read everything, report what ingesting it would, and publish nothing':
    'すべてを読み、取り込みと同じ報告をして、何も公開しない',
  'report in a moment what the names of the files say; no file is read, and nothing is published':
    'ファイルの名前から分かることだけをすぐに報告する。中身は読まず、何も公開しない',
  'ingest even if a newer revision, or the same revision with other content, is live':
    'より新しい版、または同じ版で内容の異なるものが公開中でも取り込む',
  'then inspect CityGML by the official rules of quality, and keep what is found':
    '続けて CityGML を公式の品質規則で検査し、結果を保存する',
  'queue a job for each package, which a `citymodel worker` does, and print the ids':
    'パッケージごとにジョブを登録し（`citymodel worker` が行う）、ID を表示する',
  'with --queue: show the jobs until all have ended': '--queue とともに：すべて終わるまでジョブを表示する',
  'with --queue: put the files into the object store, for workers that do not see these paths':
    '--queue とともに：このパスが見えないワーカーのために、ファイルをオブジェクトストアに置く',
  'also convert CityGML packages to 3D Tiles and vector tiles':
    'CityGML パッケージを 3D Tiles とベクトルタイルにも変換する',
  'print the report as JSON': '報告を JSON で表示する',
  'deflate level for text that is compressed here': 'ここで圧縮するテキストの deflate のレベル',
  'name of the package, in place of the file name': 'パッケージの名前（ファイル名の代わり）',
  'municipality code (5 digits) or prefecture code (2); outside of Japan one that you choose':
    '市区町村コード（5 桁）または都道府県コード（2 桁）。日本の外では自由に選ぶ',
  'fiscal year of production': '整備年度',
  'fiscal year of registration': '登録年度',
  'city, pref or another': 'city、pref など、提供者',
  'revision of the package': 'パッケージの版',
  'version of the product specification, such as 4.1': '製品仕様書の版。例：4.1',
  'licence of the data': 'データのライセンス',
  'name of the prefecture; outside of Japan of the state': '都道府県の名前。日本の外では州などの名前',
  'name of the municipality': '市区町村の名前',
  'name of the ward': '区の名前',
  'code of the ward': '区のコード',
  'feature type of a tile package': 'タイルのパッケージの地物型',
  'LOD of a tile package': 'タイルのパッケージの LOD',
  'the tiles are textured': 'タイルにテクスチャがある',
  'the tiles are not textured': 'タイルにテクスチャがない',
  'the tiles are an indoor model': 'タイルは屋内モデルである',
  'asset path of a mirrored package, {2 hex}/{rest of an id}':
    '写したパッケージのファイルのパス。{2 hex}/{rest of an id}',
  'also list packages that were replaced or removed and are not deleted yet':
    '置き換えられたか削除され、まだ消えていないパッケージも表示する',
  'also list the issues that ingestion found': '取り込みの指摘も表示する',
  'print as JSON': 'JSON で表示する',
  'package names as `list` shows them, or their ids': '`list` の示すパッケージの名前、または ID',
  'package names as `list --all` shows them, or their ids': '`list --all` の示すパッケージの名前、または ID',
  'the version that the last list told to go on from, or a time such as 2026-04-01T09:00:00+09:00; 0 is the beginning':
    '前回の一覧が示した、次に始める版。または時刻（例：2026-04-01T09:00:00+09:00）。0 は最初から',
  'changes up to this version only': 'この版までの変更だけ',
  'keys (of Surrogate-Key and Cache-Tag), urls, nginx (lines of the map in deploy/nginx-cache.conf), or json':
    'keys（Surrogate-Key と Cache-Tag のキー）、urls、nginx（deploy/nginx-cache.conf の map の行）、json のいずれか',
  'where catalog.json and the directories of collections go':
    'catalog.json とコレクションのディレクトリを置く場所',
  'only these packages': 'これらのパッケージだけ',
  'check instead whether the bucket of OBJECT_STORE can do all that the program needs':
    '代わりに、OBJECT_STORE のバケットがプログラムの必要とすることをすべてできるか調べる',
  'let the sweep delete objects that nothing refers to, after RETIRED_GRACE_S':
    'どこからも参照されないオブジェクトを、RETIRED_GRACE_S の後に消せるようにする',
  'zips or directories; with --served names of packages':
    'zip またはディレクトリ。--served とともに使うときはパッケージの名前',
  'product specification; found from the data unless given': '製品仕様書。指定しなければデータから判断する',
  'object list (xlsx); that in the package unless given':
    'オブジェクト一覧（xlsx）。指定しなければパッケージの中のもの',
  'EPSG code of the plane system; by the municipality unless given':
    '平面直角座標系の EPSG コード。指定しなければ市区町村から決める',
  'only these checks, with commas between: L04,bldg.lod1.closed':
    'これらの検査だけ（コンマ区切り）：L04,bldg.lod1.closed',
  'leave out the comparison with XML schemas (L02), which reads every file once more':
    'XML スキーマとの照合（L02）を省く。すべてのファイルをもう一度読む検査',
  'compare files with the XSDs of this directory (L02) in place of the schemas that the program knows':
    '組み込みのスキーマの代わりに、このディレクトリの XSD とファイルを照合する（L02）',
  'leave out our own rules, which warn beyond the official ones':
    '公式のものに加えて警告する、独自の規則を省く',
  'repeat what the official program does wrong; docs/inspecting.md lists it':
    '公式のプログラムの誤りも同じように再現する。一覧は docs/inspecting.md',
  'number of threads': 'スレッドの数',
  'write the official tables and summaries to this directory':
    '公式の形式の表と要約を、このディレクトリに書く',
  'write all places with findings as GeoJSON': '検査結果のすべての場所を GeoJSON に書く',
  'write a report to read and to print': '読んで印刷できる報告書を書く',
  'inspect packages of the catalogue, and keep what is found with them':
    'カタログのパッケージを検査し、結果をともに保存する',
  'with --served: queue jobs, which a `citymodel worker` does, and print the ids':
    '--served とともに：ジョブを登録し（`citymodel worker` が行う）、ID を表示する',
  'zips, directories or files of CityGML (.gml, .xml, .gz), or names of live packages':
    'CityGML の zip、ディレクトリ、ファイル（.gml、.xml、.gz）、または公開中のパッケージの名前',
  'only these feature types, with commas between: bldg,tran': 'これらの地物型だけ（コンマ区切り）：bldg,tran',
  'only these levels of detail, with commas between: 1,2': 'これらの LOD だけ（コンマ区切り）：1,2',
  'write the packages of tiles to this directory': 'タイルのパッケージを、このディレクトリに書く',
  'ingest the packages of tiles': 'タイルのパッケージを取り込む',
  'with --ingest: also replace tiles that this program did not make':
    '--ingest とともに：このプログラムが作ったのではないタイルも置き換える',
  'number of threads; 0 uses the main thread': 'スレッドの数。0 ならメインスレッドを使う',
  'version of 3D Tiles': '3D Tiles の版',
  'compression of meshes': 'メッシュの圧縮方式',
  'leave out the column that holds all attributes as JSON': 'すべての属性を JSON で持つ列を省く',
  'show textures as they are, without light and shade': 'テクスチャを、光と影を付けずにそのまま示す',
  'write vector tiles as PMTiles files': 'ベクトルタイルを PMTiles ファイルに書く',
  'how elevations become heights above the ellipsoid; the setting HEIGHTS where it is not given':
    '標高を楕円体高に直す方法。指定しなければ設定 HEIGHTS',
  'queue jobs in which workers convert live packages and ingest the tiles':
    'ワーカーが公開中のパッケージを変換してタイルを取り込むジョブを登録する',
  'with --queue: number of further jobs that make parts of the package':
    '--queue とともに：パッケージの部品を作るジョブを、さらに登録する数',
  'report what it would make of which files, and make nothing':
    'どのファイルから何ができるかだけを報告し、何も作らない',
  'code of the municipality; outside of Japan one that you choose': '市区町村コード。日本の外では自由に選ぶ',
  'rebuild every index, and all tables and pictures': 'すべての索引、表、画像を作り直す',
  'queue a job, which a `citymodel worker` does, and print its id':
    'ジョブを登録し（`citymodel worker` が行う）、ID を表示する',
  'as in the file search: m:53394509, 13101, r:139.7,35.6,139.8,35.7, g:千代田区, …':
    'ファイル検索と同じ条件：m:53394509、13101、r:139.7,35.6,139.8,35.7、g:千代田区 など',
  'path of the zip': 'zip のパス',
  'only these feature types, such as bldg,tran': 'これらの地物型だけ。例：bldg,tran',
  'only the newest year of each municipality': '市区町村ごとに最新の年度だけ',
  'address of the service, in place of PUBLIC_URL': 'サービスのアドレス（PUBLIC_URL の代わり）',
  'skip the check of every checksum after the download': 'ダウンロード後の、すべてのチェックサムの確認を省く',
  ['only these kinds of work, with commas between: pack, ingest, reindex, sweep, convert, convert-parts, ' +
    'inspect, compare, tables, pictures']:
    'これらの種類の仕事だけ（コンマ区切り）：pack、ingest、reindex、sweep、convert、convert-parts、inspect、compare、tables、pictures',
  'number of jobs at the same time, in place of JOB_WORKERS': '同時に行うジョブの数（JOB_WORKERS の代わり）',
  'end after so many seconds without a job': 'この秒数ジョブがなければ終わる',
  'also jobs that have ended': '終わったジョブも',
  'only jobs that were given up after their last attempt': '最後の試行の後にあきらめたジョブだけ',
  'only jobs of one state: queued, running, failed, succeeded, dead, cancelled':
    '1 つの状態のジョブだけ：queued、running、failed、succeeded、dead、cancelled',
  'only jobs of one kind, such as ingest or pack': '1 つの種類のジョブだけ。例：ingest、pack',
  'number of jobs at most': 'ジョブの最大数',
  'the id of the job, or its beginning': 'ジョブの ID、またはその先頭',
  'ids of jobs, or their beginnings': 'ジョブの ID、またはその先頭',
  'all jobs that were given up': 'あきらめたすべてのジョブ',
  'where to copy the rows: postgres://{user}@{host}/{database} or sqlite:{path}':
    '行の写し先：postgres://{user}@{host}/{database} または sqlite:{path}',
  'where to copy the objects: a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}':
    'オブジェクトの写し先：ディレクトリ、s3://{bucket}/{prefix}、または az://{container}/{prefix}',
  'a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}, that has nothing but backups':
    'バックアップ専用の、ディレクトリ、s3://{bucket}/{prefix}、または az://{container}/{prefix}',
  'then delete backups that are older, but never the newest':
    '続けて、これより古いバックアップを消す。最新のものは決して消さない',
  'make no backup: read all that lie there, and compare every byte':
    'バックアップを取らず、置いてあるものをすべて読み、全バイトを照合する',
  'make no backup: list those that lie there': 'バックアップを取らず、置いてあるものの一覧を表示する',
  'where the backups lie: a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}':
    'バックアップの置き場所：ディレクトリ、s3://{bucket}/{prefix}、または az://{container}/{prefix}',
  'the newest backup of this time or before it, such as 2026-11-24T09:00:00+09:00':
    'この時刻以前の最新のバックアップ。例：2026-11-24T09:00:00+09:00',
  'restore everything else when the backup lacks objects':
    'バックアップにないオブジェクトがあっても、残りをすべて戻す',
  'directory to write to; it is created when it does not exist': '書き出すディレクトリ。なければ作る',
  'number of buildings': '建物の数',
  'seed of the generator, a whole number': '生成の種（seed）。整数',
  'version of CityGML of the newest packages': '最新のパッケージの CityGML の版',
  'the small sample that tests use, in place of the city on an island':
    '島にある都市の代わりに、試験で使う小さな見本を示す',
  'version of CityGML of the newest packages; 3 shows the small sample':
    '最新のパッケージの CityGML の版。3 なら小さな見本を示す',
  'the larger city on an island, in two editions, in place of the small ones':
    '小さな都市の代わりに、島にある大きな都市を 2 つの年度で作る',
  'only CityGML; `convert` makes tiles of it': 'CityGML だけを作る。タイルは `convert` で作れる',
};
