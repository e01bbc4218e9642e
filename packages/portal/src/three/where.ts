/** The conditions that features have to meet, put together by clicks; the text is that of the interface's `where`. */

/** Conditions of a text, each trimmed. */
function partsOf(where: string): string[] {
  return where
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The name that a condition is about. */
function nameOf(part: string): string {
  return part.slice(0, part.search(/[<>=]/)).trim();
}

/** The names that conditions are about, each once, in their order. */
export function namesOf(where: string): string[] {
  return [...new Set(partsOf(where).map(nameOf))];
}

/** The conditions about one property, '' for none. */
export function conditionOn(where: string, name: string): string {
  return partsOf(where)
    .filter((part) => nameOf(part) === name)
    .join(';');
}

/** The text with other conditions about one property; '' takes those away. */
export function withCondition(where: string, name: string, condition: string): string {
  return [...partsOf(where).filter((part) => nameOf(part) !== name), ...partsOf(condition)].join(';');
}

/** The text with a class shown alone, or, when it is alone already, with every class again. */
export function toggleCondition(where: string, name: string, condition: string): string {
  return withCondition(where, name, conditionOn(where, name) === condition ? '' : condition);
}
