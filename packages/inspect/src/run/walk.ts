/** The way through the elements of members that visitors look at. */
import { NO_ATTRIBUTES, type XmlElement } from '@citymodel/citygml';
import type { FileVisitor, Member } from '../check.ts';

/**
 * Which visitors of a list look at elements of a name, by their places in it: files of a folder have the same checks,
 * and each name is asked of each check once for all of them.
 */
export class Lookers {
  /** Without and with attributes. */
  readonly #plain = new Map<string, readonly number[]>();
  readonly #attributed = new Map<string, readonly number[]>();

  at(name: string, hasAttributes: boolean, visitors: readonly FileVisitor<unknown>[]): readonly number[] {
    const known = hasAttributes ? this.#attributed : this.#plain;
    let places = known.get(name);
    if (places === undefined) {
      places = visitors.flatMap((visitor, place) => {
        const isLooking = visitor.looksAt?.(name, hasAttributes) ?? true;
        return visitor.element === undefined || !isLooking ? [] : [place];
      });
      if (known.size < REMEMBERED) known.set(name, places);
    }
    return places;
  }
}

/** Shows members to visitors: elements on the way down, then the whole. */
export class Walk {
  readonly #visitors: readonly FileVisitor<unknown>[];
  readonly #onMember: (member: Member) => void;
  readonly #lookers: Lookers;

  /** `onMember` is told of each member before visitors are. `lookers` is what walks of the same checks share. */
  constructor(
    visitors: readonly FileVisitor<unknown>[],
    onMember: (member: Member) => void = () => {},
    lookers = new Lookers(),
  ) {
    this.#visitors = visitors;
    this.#onMember = onMember;
    this.#lookers = lookers;
  }

  /** A promise only where a visitor has to wait; no other member may be shown meanwhile. */
  show(member: Member): void | Promise<void> {
    this.#onMember(member);
    this.down(member.feature, [], member);
    return this.#whole(member, 0);
  }

  #whole(member: Member, from: number): void | Promise<void> {
    for (let i = from; i < this.#visitors.length; i++) {
      const pending = this.#visitors[i]!.member?.(member);
      if (pending !== undefined) return pending.then(() => this.#whole(member, i + 1));
    }
  }

  down(element: XmlElement, above: XmlElement[], member: Member): void {
    const hasAttributes = element.attributes !== NO_ATTRIBUTES;
    for (const place of this.#lookers.at(element.name, hasAttributes, this.#visitors)) {
      this.#visitors[place]!.element!(element, above, member);
    }
    if (element.children.length === 0) return;
    above.push(element);
    for (const child of element.children) this.down(child, above, member);
    above.pop();
  }
}

/** Names whose lookers are remembered: names come from files. */
const REMEMBERED = 5000;
