/** Names of municipalities in Latin letters: apart from other words, for the first view of the portal needs them alone. */

/** Osaka of osaka-shi; a ward keeps what it is: Chiyoda-ku of chiyoda-ku. */
export function latinName(romaji: string): string {
  if (romaji === 'tokyo23-ku') return 'Tokyo 23 wards';
  return capital(romaji.replace(/-(shi|cho|machi|mura|son|ken|fu|to)$/, ''));
}

/** With a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
