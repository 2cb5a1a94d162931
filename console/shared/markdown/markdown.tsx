import { ActionIcon, Anchor, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Icon } from '../icon.tsx';
import { headingIds } from './heading_ids.ts';
import './markdown.css';

export interface MarkdownProps {
  text: string;
  /** Shows a link. Without this function, only links to other sites can be followed. */
  renderLink?: (href: string, children: ReactNode) => ReactNode;
  /**
   * Returns the address of an image; undefined to show its description instead. Without this function, no image is
   * shown.
   */
  imageUrl?: (source: string) => string | undefined;
  /**
   * If true, headings get ids, so that links can name them. It must be false for texts that users wrote, because users
   * must not set ids of the page.
   */
  hasAnchors?: boolean;
  /** If true, HTML in the text is left out. Otherwise it is shown as text. */
  leavesOutHtml?: boolean;
}

/** Shows a link to another site. Relative links are shown as text, because a note has no address of its own. */
export const externalLink = (href: string, children: ReactNode): ReactNode =>
  /^(https?:|mailto:)/.test(href)
    ? <Anchor href={href} target='_blank' rel='noreferrer' underline='always' inherit>{children}</Anchor>
    : <span>{children}</span>;

interface CodeElement {
  props?: { children?: unknown };
}

/** A block of code that can be scrolled by the keyboard and copied. */
function CodeBlock({ children }: { children?: ReactNode }) {
  // SAFETY: a block of code has one child element, and the text is the content of that element.
  const code = String((children as CodeElement | undefined)?.props?.children ?? '');
  return (
    <div className='markdown-code'>
      <pre tabIndex={0}>{children}</pre>
      <CopyButton value={code}>
        {({ copied, copy }) => (
          <ActionIcon
            variant='default'
            className='markdown-copy'
            aria-label={copied ? 'Copied' : 'Copy the code'}
            title={copied ? 'Copied' : 'Copy the code'}
            onClick={copy}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        )}
      </CopyButton>
    </div>
  );
}

function componentsOf({ renderLink = externalLink, imageUrl }: MarkdownProps): Components {
  return {
    a: ({ href, children }) => <>{renderLink(href ?? '', children)}</>,
    img({ src, alt }) {
      const url = typeof src === 'string' ? imageUrl?.(src) : undefined;
      return url === undefined ? <em>{alt}</em> : <img src={url} alt={alt ?? ''} loading='lazy' />;
    },
    pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
    table: ({ children }) => (
      <div className='markdown-table' tabIndex={0}>
        <table>{children}</table>
      </div>
    ),
  };
}

/** Shows a Markdown text with tables. HTML in the text never becomes an element. Loaded by `LazyMarkdown`. */
export default function Markdown(props: MarkdownProps) {
  const { text, hasAnchors = false, leavesOutHtml = false } = props;
  return (
    <div className='markdown'>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={hasAnchors ? [headingIds] : []}
        skipHtml={leavesOutHtml}
        components={componentsOf(props)}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
