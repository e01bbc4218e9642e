import { Fragment } from 'preact';

/** The name of a package, which goes to the next line after an underscore and nowhere else. */
export function PackageName({ name }: { name: string }) {
  return (
    <>
      {name.split(/(?<=_)/).map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          <span class="whole">{part}</span>
        </Fragment>
      ))}
    </>
  );
}
