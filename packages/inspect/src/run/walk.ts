/** The way through the elements of members that visitors look at. */
import { NO_ATTRIBUTES, type XmlElement } from '@citymodel/citygml';
import type { FileVisitor, Member } from '../check.ts';

/** Shows members to visitors: elements on the way down, then the whole. */
export class Walk {
  readonly #visitors: readonly FileVisitor<unknown>[];
  readonly #onMember: (member: Member) => void;
  /** Who looks at elements of a name, without and with attributes. */
  readonly #plain = new Map<string, SeeElement[]>();
  readonly #attributed = new Map<string, SeeElement[]>();

  /** `onMember` is told of each member before visitors are. */
  constructor(visitors: readonly FileVisitor<unknown>[], onMember: (member: Member) => void = () => {}) {
    this.#visitors = visitors;
    this.#onMember = onMember;
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
    for (const see of this.#lookersAt(element)) see(element, above, member);
    if (element.children.length === 0) return;
    above.push(element);
    for (const child of element.children) this.down(child, above, member);
    above.pop();
  }

  #lookersAt({ name, attributes }: XmlElement): readonly SeeElement[] {
    const hasAttributes = attributes !== NO_ATTRIBUTES;
    const known = hasAttributes ? this.#attributed : this.#plain;
    let lookers = known.get(name);
    if (lookers === undefined) {
      lookers = this.#visitors.flatMap((visitor) => {
        const isLooking = visitor.looksAt?.(name, hasAttributes) ?? true;
        return visitor.element === undefined || !isLooking ? [] : [visitor.element.bind(visitor)];
      });
      if (known.size < REMEMBERED) known.set(name, lookers);
    }
    return lookers;
  }
}

type SeeElement = NonNullable<FileVisitor<unknown>['element']>;

/** Names whose lookers are remembered: names come from files. */
const REMEMBERED = 5000;
