import { type RefObject, useEffect, useRef } from 'react';
import { useDocumentTitle } from './use_document_title.ts';

/** True after the first page since the console was loaded. On the first page, the browser sets the focus. */
let hasShownPage = false;

/** Names the page in the browser. Returns the ref of its heading, which gets the focus after a link to the page. */
export function usePageHeading(title: string): RefObject<HTMLHeadingElement | null> {
  useDocumentTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
  }, []);
  return heading;
}
