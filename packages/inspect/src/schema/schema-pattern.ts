/**
 * A pattern of XML Schema (part 2, appendix F) as one of JavaScript, anchored. Those of the tables are held to be
 * linear by a check.
 */
export function schemaPattern(written: string): RegExp {
  const translated = written.replaceAll('\\w', '[^\\p{P}\\p{Z}\\p{C}]').replaceAll('\\-', '\\x2d');
  return new RegExp(`^(?:${translated})$`, 'u');
}
