/** A button of the workbench bar with a panel below it, which keys open, go through and close. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Chevron } from './chevron.tsx';

interface BenchMenuProps {
  label: string;
  /** Path of a picture before the label, in a box of 16. */
  icon?: string;
  /** Whether something of it is in use. */
  isOn?: boolean;
  children: ComponentChildren;
}

/** What takes the focus in a panel. */
const CONTROLS = 'input:not(:disabled), select, button, a[href]';

export function BenchMenu({ label, icon, isOn = false, children }: BenchMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLFieldSetElement>(null);
  const wantsFocus = useRef(false);

  // Below its button, and within the view. A panel hangs on the bar: the row of buttons would cut it off.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const place = () => {
      const bar = panel.current!.offsetParent!.getBoundingClientRect();
      const most = root.current!.closest('main')!.getBoundingClientRect().right - panel.current!.offsetWidth;
      const left = Math.min(button.current!.getBoundingClientRect().left, most - 12) - bar.left;
      panel.current!.style.setProperty('--at', `${Math.max(0, left)}px`);
    };
    place();
    if (wantsFocus.current) focusFirst(panel.current!);
    wantsFocus.current = false;
    addEventListener('resize', place);
    return () => removeEventListener('resize', place);
  }, [isOpen]);
  // It closes by Escape, by Tab past its end, and by a press elsewhere, also on the canvas, which takes no focus.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const element = root.current!;
    const isInside = (target: EventTarget | null) => target instanceof Node && element.contains(target);
    const leave = new AbortController();
    const { signal } = leave;
    element.addEventListener(
      'keydown',
      ({ key }) => {
        if (key !== 'Escape') return;
        setOpen(false);
        button.current!.focus();
      },
      { signal },
    );
    element.addEventListener(
      'focusout',
      ({ relatedTarget }) => {
        // Another window takes the focus without a place for it.
        if (relatedTarget !== null && !isInside(relatedTarget)) setOpen(false);
      },
      { signal },
    );
    document.addEventListener('pointerdown', ({ target }) => !isInside(target) && setOpen(false), {
      capture: true,
      signal,
    });
    return () => leave.abort();
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    if (isOpen) focusFirst(panel.current!);
    else {
      wantsFocus.current = true;
      setOpen(true);
    }
  };
  return (
    <div class="bench-menu" ref={root}>
      <button
        type="button"
        class={isOn ? 'pill on' : 'pill'}
        ref={button}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onKeyDown}
      >
        {icon !== undefined && (
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={icon} />
          </svg>
        )}
        <span>{label}</span>
        <Chevron />
      </button>
      {isOpen && (
        <fieldset class="bench-panel" id={id} ref={panel} aria-label={label}>
          {children}
        </fieldset>
      )}
    </div>
  );
}

/** Of a choice what is chosen, which is where Tab leads too. */
function focusFirst(panel: HTMLElement): void {
  const chosen = panel.querySelector<HTMLElement>('[type=radio]:checked');
  (chosen ?? panel.querySelector<HTMLElement>(CONTROLS))?.focus();
}
