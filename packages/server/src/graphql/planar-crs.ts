/**
 * Which plane rectangular coordinate system of Japan a municipality uses: nineteen zones, by notice of the Ministry of
 * Land (平成14年国土交通省告示第9号). On JGD2011 they are EPSG:6669 (zone I) to EPSG:6687 (zone XIX).
 */

/** EPSG code of zone 0, which does not exist: zone n is this plus n. */
const ZONE_0 = 6668;

/**
 * Zones of the prefectures, by code from 01 to 47; of Hokkaido, Tokyo, Kagoshima and Okinawa that of the greater part.
 */
const BY_PREFECTURE = [
  12, 10, 10, 10, 10, 10, 9, 9, 9, 9, 9, 9, 9, 9, 8, 7, 7, 6, 8, 8, 7, 8, 7, 6, 6, 6, 6, 5, 6, 6, 5, 3, 5, 3,
  3, 4, 4, 4, 4, 2, 2, 1, 2, 2, 2, 2, 15,
];

/** Municipalities that lie in another zone than the greater part of their prefecture. */
const BY_MUNICIPALITY = new Map<string, number>();
for (const [zone, codes] of Object.entries({
  // Amami and Tokara; Mishima lies mostly east of 130°.
  1: '46222 46304 46523 46524 46525 46527 46529 46530 46531 46532 46533 46534 46535',
  // Hokkaido: Hakodate, Otaru, Date and Hokuto, the subprefectures Oshima, Hiyama and Shiribeshi, and three towns of
  // Iburi.
  11:
    '01202 01203 01233 01236 01331 01332 01333 01334 01337 01343 01345 01346 01347 01361 01362 01363 01364 01367 ' +
    '01370 01371 01391 01392 01393 01394 01395 01396 01397 01398 01399 01400 01401 01402 01403 01404 01405 01406 ' +
    '01407 01408 01409 01571 01575 01584',
  // Hokkaido: Kushiro, Obihiro, Kitami, Abashiri and Nemuro, nine towns of Okhotsk, and the subprefectures around them.
  13:
    '01206 01207 01208 01211 01223 01543 01544 01545 01546 01547 01549 01550 01552 01564 01631 01632 01633 01634 ' +
    '01635 01636 01637 01638 01639 01641 01642 01643 01644 01645 01646 01647 01648 01649 01661 01662 01663 01664 ' +
    '01665 01667 01668 01691 01692 01693 01694 01695 01696 01697 01698 01699 01700',
  // Ogasawara, whose inhabited islands lie between 140°30' and 143°.
  14: '13421',
  // Miyako and Yaeyama.
  16: '47207 47214 47375 47381 47382',
  // Daito.
  17: '47357 47358',
})) {
  for (const code of codes.split(' ')) BY_MUNICIPALITY.set(code, Number(zone));
}

/** EPSG code, e.g. `6677`, of a municipality's plane rectangular system; null for a code that is none. */
export function planarCrsOf(code: string): string | null {
  if (!/^\d{5}$/.test(code)) return null;
  const zone = BY_MUNICIPALITY.get(code) ?? BY_PREFECTURE[Number(code.slice(0, 2)) - 1];
  return zone === undefined ? null : String(ZONE_0 + zone);
}
