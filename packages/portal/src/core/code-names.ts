/**
 * What the values of the standard's common code lists mean in English, in plain words of our own. Answers and tiles
 * carry the Japanese label of a value, which packages of all years agree on where codes differ, so labels are the keys;
 * a test holds the table against the lists and codes of `packages/citygml/src/attributes/standard-code-lists.tsv`.
 */
import { prefectureCode, prefectureName } from './prefectures.ts';

/** A list or several in each part; label, `=`, meaning. */
const NAMES = `
# Everywhere
不明=Unknown
その他=Other
未調査=Not surveyed
調査対象外=Not part of the survey
対象外=Not part of the survey
有り=Yes
無し=No
国=National government
都道府県=Prefecture
市区町村=Municipality
公社等=Public corporation
決定=Decided
廃止=Abolished
変更=Changed

# Building_usage, Common_landUseType
業務施設=Offices
商業施設=Shops
宿泊施設=Hotels and inns
商業系複合施設=Mixed commercial
商業系用途複合施設=Mixed commercial
住宅=House
共同住宅=Apartments
店舗等併用住宅=House with shop
店舗等併用共同住宅=Apartments with shops
作業所併用住宅=House with workshop
官公庁施設=Government
文教厚生施設=Education, health and culture
運輸倉庫施設=Transport and storage
工場=Factory
農林漁業用施設=Farming, forestry and fishing
供給処理施設=Supply and waste
防衛施設=Defence

# Building_class
分類しない建物=Unclassified building
普通建物=Ordinary building
堅ろう建物=Solid building
普通無壁舎=Ordinary building without walls
堅ろう無壁舎=Solid building without walls

# BuildingDetailAttribute_buildingStructureType, fireproofStructureType, vacancy
木造・土蔵造=Wood, or clay walls
木造=Wood
鉄骨鉄筋コンクリート造=Steel and reinforced concrete
鉄筋コンクリート造=Reinforced concrete
鉄骨造=Steel
軽量鉄骨造=Light steel
レンガ造・コンクリートブロック造・石造=Brick, concrete block or stone
非木造=Not wood
耐火=Fireproof
準耐火造=Semi-fireproof
空き家=Vacant
空き家以外=Not vacant

# Building_roofType
切妻屋根=Gable roof
越屋根=Monitor roof
招き屋根=Uneven gable roof
差し掛け屋根=Lean-to roof in steps
バタフライ屋根=Butterfly roof
鋸屋根=Sawtooth roof
六柱屋根=Hexagonal roof
八柱屋根=Octagonal roof
M型屋根=M-shaped roof
下屋付招き屋根=Uneven gable roof with lean-to
棟違い屋根=Offset ridge roof
寄棟屋根=Hip roof
乗り越し屋根=Overlapping roof
腰折れ屋根=Gambrel roof
隅切屋根=Roof with cut corners
アーチ屋根=Arched roof
ドーム屋根=Dome
シェル屋根=Shell roof
カテナリー屋根=Catenary roof
膜構造=Membrane
方形屋根=Pyramid roof
陸屋根=Flat roof
片流れ屋根=Shed roof
袴腰屋根/半切妻屋根=Half-hip roof
入母屋屋根=Hip-and-gable roof
錣（しころ）屋根=Stepped hip-and-gable roof
マンサード屋根=Mansard roof

# Risks
土砂災害警戒区域（指定済）=Landslide warning zone (designated)
土砂災害特別警戒区域（指定済）=Landslide special warning zone (designated)
土砂災害警戒区域（指定前）=Landslide warning zone (planned)
土砂災害特別警戒区域（指定前）=Landslide special warning zone (planned)
特別警戒区域指定済み=Special warning zone designated
特別警戒区域未指定=Special warning zone not designated
急傾斜地の崩落=Slope failure
急傾斜地の崩壊=Slope failure
土石流=Debris flow
地すべり=Landslide
L1（計画規模）=L1 (planned scale)
L2（想定最大規模）=L2 (worst case)
計画規模=Planned scale
想定最大規模=Largest assumed
洪水浸水想定区域=River flooding
津波浸水想定=Tsunami flooding
高潮浸水想定区域=Storm surge flooding
内水浸水想定区域=Inland flooding
ため池ハザードマップ=Reservoir flooding

# LargeCustomerFacilityAttribute_class
大規模小売店舗（食品スーパー）=Large shop (supermarket)
大規模小売店舗（百貨店・スーパー・ショッピングセンター・寄合百貨店・小売市場）=Large shop (department store, shopping centre, market)
大規模小売店舗（ホームセンター・専門店（家具・家電・書籍等））=Large shop (home centre, specialist)
大規模小売店舗（その他）=Large shop (other)
大規模集客施設（床面積１万㎡超の店舗、映画館、アミューズメント施設、展示場等）=Large venue (more than 10,000 m²)

# Common_landUseType
田=Rice field
畑（畑、樹園地、採草地、養鶏（牛・豚）場）=Farmland other than rice
畑=Field
樹園地=Orchard
採草地=Hay meadow
養鶏（牛・豚）場=Poultry, cattle or pig farm
山林（樹林地）=Forest
水面（河川水面、湖沼、ため池、用水路、濠、運河水面）=Water
河川水面=River
湖沼=Lake
ため池=Reservoir
用水路=Irrigation canal
濠=Moat
運河水面=Canal
原野・牧野=Wild land or pasture
荒れ地=Waste land
低湿地=Wetland
河川敷・河原=Riverbed
海浜=Beach
湖岸=Lake shore
住宅用地（住宅、共同住宅、店舗等併用住宅、店舗等併用共同住宅、作業所併用住宅）=Housing
商業用地=Commerce
工業用地=Industry
公益施設用地=Public services
道路=Road
駅前広場=Station square
交通施設用地=Transport
公共空地（公園・緑地、広場、運動場、墓園）=Public open space
公園・緑地=Park or green space
広場=Square
運動場=Sports ground
墓園=Cemetery
その他公的施設用地（防衛施設用地）=Other public use (defence)
農林漁業施設用地=Farming, forestry and fishing facilities
建物跡地=Site of a former building
資材置き場=Storage yard
改変中の土地=Land being altered
法面（道路、造成地等の主利用に含まれない法面）=Embankment
低未利用土地（用途に供されていない空地、空家・空き店舗・空施設の存する土地等）=Unused or underused land
可住地=Habitable land
非可住地=Uninhabitable land
宅地（住宅用地、商業用地等の区分が無い）=Building land, use not told
道路・鉄軌道敷（道路と交通施設用地が混在）=Road or railway

# Common_urbanPlanType, Common_areaClassificationType
都市計画区域=City planning area
準都市計画区域=Quasi city planning area
都市計画区域外=Outside city planning areas
市街化区域=Urbanisation promotion area
市街化調整区域=Urbanisation control area
非線引き用途地域=Zoned, area not divided
非線引き用途白地=Not zoned, area not divided
居住誘導区域=Residence promotion area
都市機能誘導区域=Urban function promotion area

# Common_districtsAndZonesType
用途地域の指定をしない区域=Not zoned
第1種低層住居専用地域=Category 1 low-rise residential only
第2種低層住居専用地域=Category 2 low-rise residential only
第1種中高層住居専用地域=Category 1 mid- and high-rise residential only
第2種中高層住居専用地域=Category 2 mid- and high-rise residential only
第1種住居地域=Category 1 residential
第2種住居地域=Category 2 residential
準住居地域=Quasi-residential
田園住居地域=Rural residential
近隣商業地域=Neighbourhood commercial
商業地域=Commercial
準工業地域=Quasi-industrial
工業地域=Industrial
工業専用地域=Industrial only
特別用途地区=Special use district
特定用途制限地域=Specified use restriction area
特例容積率適用地区=Exceptional floor area ratio district
高層住居誘導地区=High-rise residence promotion district
高度地区=Height control district
高度利用地区=High-level use district
特定街区=Specified block
都市再生特別地区=Special urban renaissance district
居住調整地域=Residence control area
特定用途誘導地区=Specified use promotion district
居住環境向上用途誘導地区=Living environment use promotion district
防火地域=Fire protection zone
準防火地域=Quasi fire protection zone
特定防災街区整備地区=Disaster prevention block improvement district
景観地区=Landscape district
風致地区=Scenic district
駐車場整備地区=Parking improvement district
臨港地区=Port district
歴史的風土特別保存地区=Special historic landscape preservation district
第1種歴史的風土保存地区=Category 1 historic landscape preservation district
第2種歴史的風土保存地区=Category 2 historic landscape preservation district
緑地保全地域=Green space conservation area
特別緑地保全地区=Special green space conservation district
緑化地域=Greening area
流通業務地区=Distribution business district
生産緑地地区=Productive green zone
伝統的建造物群保存地区=Preservation district of historic buildings
航空機騒音障害防止地区=Aircraft noise prevention district
航空機騒音障害防止特別地区=Special aircraft noise prevention district

# Road_function, Road_usage, RoadStructureAttribute_sectionType
高速自動車国道=National expressway
一般国道=National road
都道府県道=Prefectural road
市町村道=Municipal road
都市高速道路=Urban expressway
緊急輸送道路（第一次緊急輸送道路）=Emergency route, 1st order
緊急輸送道路（第二次緊急輸送道路）=Emergency route, 2nd order
緊急輸送道路（第三次緊急輸送道路）=Emergency route, 3rd order
緊急輸送道路（未指定）=Emergency route, order not told
避難路／避難道路=Evacuation route
土工区間=Earthworks section
高架橋=Viaduct
橋梁=Bridge
交差部=Crossing
アンダーパス=Underpass
トンネル=Tunnel

# TransportationComplex_class, Square_function, Track_function
徒歩道等=Footpath
徒歩道=Footpath
庭園路=Garden path
鉄道=Railway
水路=Waterway
地下鉄=Underground railway
自動車ターミナル=Bus or lorry terminal
交通広場=Traffic square

# TrafficArea_function, AuxiliaryTrafficArea_function
車道部=Carriageway
車線=Lane
車道交差部=Intersection
すりつけ区間=Transition section
非常駐車帯=Emergency lay-by
踏切道=Level crossing
軌道敷=Tram track bed
待避所=Passing place
中央帯=Median
側帯=Marginal strip
路肩=Shoulder
停車帯=Stopping lane
乗合自動車停車所=Bus stop
副道=Service road
歩道部=Walkway
歩道部の段差=Kerb
自転車歩行者道=Cycle and pedestrian path
歩道=Pavement
自転車道=Cycle path
島=Island
交通島=Traffic island
分離帯=Divider
路面電車停車所=Tram stop
植栽=Planting
植樹帯=Planting strip
植樹ます=Tree pit
自転車駐車場=Bicycle parking
自動車駐車場=Car park
軌道中心線=Track centre line
軌道=Track
軌きょう=Track panel
軌間=Gauge
レール=Rail
道床=Track bed

# Bridge_class, Bridge_function
桁橋=Beam bridge
トラス橋=Truss bridge
アーチ橋=Arch bridge
ラーメン橋=Rigid-frame bridge
吊橋=Suspension bridge
斜張橋=Cable-stayed bridge
道路橋=Road bridge
鉄道橋=Railway bridge
水路橋=Aqueduct
ケーブル橋=Cable duct bridge
橋側歩道橋=Footbridge beside a bridge
運河橋=Canal bridge
横断歩道橋=Footbridge over a road
ペデストリアンデッキ=Pedestrian deck

# Tunnel_class, Tunnel_function
交通=Transport
供給=Supply
歴史=Historic
避難誘導設備=Evacuation guidance
避難連絡坑=Evacuation passage
鉄道用トンネル=Railway tunnel
道路用トンネル=Road tunnel
水路トンネル=Water tunnel
歩行者用トンネル=Pedestrian tunnel

# CityFurniture_class, CityFurniture_function
交通施設=Traffic facility
通信施設=Communication facility
保安施設=Safety facility
道路標示=Road marking
区画線=Line marking
車道中央線=Centre line
車線境界線=Lane line
車道外側線=Edge line
指示標示=Instruction marking
横断歩道=Pedestrian crossing
停止線=Stop line
規制標示=Regulatory marking
柵・壁=Fence or wall
道路標識=Road sign
案内標識=Guide sign
警戒標識=Warning sign
規制標識=Regulatory sign
指示標識=Instruction sign
補助標識=Supplementary sign
建造物=Structure
上屋=Shelter
地下出入口=Entrance to the underground
アーケード=Arcade
視線誘導標=Delineator
道路反射鏡=Traffic mirror
照明施設=Lighting
墓碑=Gravestone
記念碑=Monument
立像=Statue
路傍祠=Wayside shrine
灯ろう=Stone lantern
鳥居=Torii
自然災害伝承碑=Monument to a natural disaster
噴水=Fountain
井戸=Well
油井・ガス井=Oil or gas well
起重機=Crane
タンク=Tank
煙突=Chimney
高塔=Tower
電波塔=Radio tower
風車=Wind turbine
灯台=Lighthouse
灯標=Light beacon
ヘリポート=Heliport
水位観測所=Water level station
道路情報管理施設=Road information facility
災害検知器=Disaster sensor
気象観測装置=Weather station
道路情報板=Road information board
光ファイバー=Optical fibre
柱=Pole
交通信号機=Traffic light
階段=Stairs
通路=Passage
エレベータ=Lift
エスカレータ=Escalator
管理用地上施設=Maintenance facility above ground
電線共同溝=Common cable duct
CAB=Cable box
情報BOX=Information box
管路=Conduit
管理用開口部=Maintenance opening
マンホール=Manhole
ハンドホール=Handhole
入孔=Access hole
距離標=Kilometre post
境界標識=Boundary marker
道路元標・里程標=Road origin marker or milestone
料金徴収施設=Toll facility
融雪施設=Snow melting facility
排水施設=Drainage
集水桝=Catch basin
排水溝=Drain
側溝=Gutter
排水管=Drainpipe
排水ポンプ=Drainage pump
停留所=Stop
消火栓=Hydrant
郵便ポスト=Post box
電話ボックス=Telephone box
輸送管=Pipeline
架空線=Overhead line
自動販売機=Vending machine
掲示板=Notice board
点字ブロック=Tactile paving
ベンチ=Bench
テーブル=Table
看板（自立式）=Free-standing sign
水飲み=Drinking fountain

# OtherConstruction_class, OtherConstruction_function
ダム=Dam
堤防=Levee
床止め=Bed sill
堰=Weir
水門・閘門・陸閘=Sluice, lock or land gate
樋門・樋管=Sluiceway or culvert
伏せ越し=Inverted siphon
護岸=Revetment
水制=Groyne
揚水機場=Pumping station
排水機場=Drainage pumping station
本堤=Main levee
控堤=Secondary levee
霞堤=Open levee
背割堤=Separation levee
導流堤=Training levee
輪中堤=Ring levee
無堤=No levee
山付け=Levee joining a hill
霞堤の開口部=Opening of an open levee
その他の切り欠き部（構造物部分）=Other gap (structure)
地下河川等=Underground river
その他の開口部（支流合流点、派川分流点、河口）=Other opening (confluence, branch, mouth)
高水護岸=High-water revetment
低水護岸=Low-water revetment
通常護岸=Ordinary revetment
隠し護岸=Buried revetment
親水護岸（階段護岸、緩勾配護岸等）=Revetment with access to the water
景観護岸（化粧護岸、自然石ブロック、緑化ブロック等）=Landscape revetment
生態護岸（魚巣ブロック等）=Ecological revetment
透過水制（杭打ち、牛類、枠類等）=Permeable groyne
不透過水制（石出し、土出し、波床類等）=Impermeable groyne
半透過水制（コンクリートブロック、蛇かご等）=Semi-permeable groyne

# PlantCover_class, SolitaryVegetationObject_class and function
高木（樹高3m以上）=Tall tree (3 m and more)
中木（樹高1m以上3m未満）=Medium tree (1 m to 3 m)
低木（樹高1m未満）=Low shrub (below 1 m)
地被植物=Ground cover
草花=Flowers
常緑/針葉=Evergreen conifer
常緑/広葉=Evergreen broadleaf
落葉/針葉=Deciduous conifer
落葉/広葉=Deciduous broadleaf

# WaterBody_class (misspelt in the lists), WaterBodyDetailAttribute_adminType
reservior（貯水池）=Reservoir
1級直轄区間=Class 1 river, managed by the state
1級指定区間=Class 1 river, managed by the prefecture
2級河川区間=Class 2 river
指定区間外=Outside designated sections
1級直轄区間でかつ湖沼区間を兼ねる=Class 1 river, managed by the state, also a lake
1級指定区間でかつ湖沼区間を兼ねる=Class 1 river, managed by the prefecture, also a lake
2級河川区間でかつ湖沼区間を兼ねる=Class 2 river, also a lake
指定区間外でかつ湖沼区間を兼ねる=Outside designated sections, also a lake

# Feature types and data quality, as answers name them
公共測量成果又は基本測量成果=Public or basic survey
現地測量=Ground survey
現地調査=Field survey
空中写真測量=Aerial photogrammetry
航空レーザ測量=Airborne laser survey
写真判読=Photo interpretation
既成図数値化=Digitised map
修正測量=Survey revision
空中写真=Aerial photographs
疑似テクスチャ=Artificial texture
未作成=Not made
都市計画基礎調査=Basic survey for city planning
道路台帳=Road register
点群から取得_最高高さ=Point cloud, highest
点群から取得_中央値=Point cloud, median
点群から取得_平均値=Point cloud, mean
点群から取得_最頻値=Point cloud, mode
点群から取得_最低値=Point cloud, lowest
地図情報レベル500=Map level 500
地図情報レベル1000=Map level 1000
地図情報レベル2500=Map level 2500
`;

const byLabel = new Map<string, string>(
  NAMES.split('\n')
    .filter((line) => line.includes('=') && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

/** From, to: lengths with a unit, of which either may be missing. */
const RANGE = /^(?:(\d{1,4}(?:\.\d{1,3})?)m?(?:以上|-))?(?:(\d{1,4}(?:\.\d{1,3})?)m未満)?$/;
/** A class of water bodies, whose labels have both languages: sea（海）. */
const BILINGUAL = /^([a-z][a-z /]{0,40})（[^（）]{1,20}）$/;

/** The meaning of a Japanese label of a code list in English; null where none is known. */
export function englishValue(label: string): string | null {
  const text = label.trim();
  const known = byLabel.get(text);
  if (known !== undefined) return known;
  const range = RANGE.exec(text);
  if (range !== null && text !== '') {
    const [, from, to] = range;
    if (to === undefined) return `${from} m and more`;
    return from === undefined ? `below ${to} m` : `${from} m to ${to} m`;
  }
  const both = BILINGUAL.exec(text);
  if (both !== null) return both[1]!.charAt(0).toUpperCase() + both[1]!.slice(1);
  const prefecture = prefectureCode(text);
  return prefecture === null ? null : prefectureName(prefecture, 'en');
}

/** A value as text; on the English page labels of the common code lists in English. */
export function valueIn(language: 'ja' | 'en', value: unknown): string {
  const text = String(value);
  if (language === 'ja') return text;
  const whole = englishValue(text);
  if (whole !== null) return whole;
  // Several values of one attribute, as the card and flat answers join them.
  const parts = text.split(/、|; /).map(englishValue);
  return parts.every((part) => part !== null) ? parts.join(', ') : text;
}
