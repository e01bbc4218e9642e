/** Names of the prefectures by code from 01, in both languages. */
const JA = (
  '北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県 岐阜県 静岡県 愛知県 三重県 滋賀県 京都府 大阪府 兵庫県 ' +
  '奈良県 和歌山県 鳥取県 島根県 岡山県 広島県 山口県 徳島県 香川県 愛媛県 高知県 福岡県 佐賀県 長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県'
).split(' ');
const EN = (
  'Hokkaido Aomori Iwate Miyagi Akita Yamagata Fukushima Ibaraki Tochigi Gunma Saitama Chiba Tokyo Kanagawa Niigata ' +
  'Toyama Ishikawa Fukui Yamanashi Nagano Gifu Shizuoka Aichi Mie Shiga Kyoto Osaka Hyogo Nara Wakayama Tottori ' +
  'Shimane Okayama Hiroshima Yamaguchi Tokushima Kagawa Ehime Kochi Fukuoka Saga Nagasaki Kumamoto Oita ' +
  'Miyazaki Kagoshima Okinawa'
).split(' ');

/** The prefecture of a code of any length; '' where there is none. */
export function prefectureName(code: string, language: 'ja' | 'en'): string {
  return (language === 'ja' ? JA : EN)[Number(code.slice(0, 2)) - 1] ?? '';
}

/** The code of a prefecture by its Japanese name; null for any other text. */
export function prefectureCode(name: string): string | null {
  const at = JA.indexOf(name);
  return at < 0 ? null : String(at + 1).padStart(2, '0');
}
