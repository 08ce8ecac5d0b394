import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Icon, type IconName } from '../icons.tsx';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { codeInfo, type CodeInfo } from './code-info.ts';
import { wholeCode, type CodeText } from './code-text.ts';
import type { End } from './document.ts';
import { highlighted } from './highlighting.ts';
import { PathLink } from './path-link.tsx';

interface Props {
  /** What stands behind the fence. */
  readonly info: string;
  readonly code: CodeText;
  readonly presenter: Presenter;
  /** Where more may come, the end is not coloured yet; of what is cut, no part is taken for the whole. */
  readonly end: End;
}

export function CodeBlock({ info, code, presenter, end }: Props): VNode {
  const [refused, setRefused] = useState(0);
  const about = codeInfo(info, firstLine(code));
  const name = about.language === '' ? t('Code') : t('Code {0}', about.language);
  const chunks = [...code.full, code.open];
  return (
    <div class="code-block" role="group" aria-label={name}>
      <div class="code-head">
        <span class="language">{about.language}</span>
        {about.path !== null && (
          <span class="code-path">
            <PathLink path={about.path} presenter={presenter} />
          </span>
        )}
        <CodeActions
          about={about}
          code={code}
          presenter={presenter}
          refuse={end === 'cut' ? () => setRefused((times) => times + 1) : null}
        />
      </div>
      {end === 'cut' && (
        <p class="refused" role="status">
          {refused > 0 && (
            <span key={refused}>
              {t('Only a part of this code is shown, so nothing was done; the log has all of it.')}
            </span>
          )}
        </p>
      )}
      <pre tabIndex={0} dir="ltr" aria-label={name}>
        <code>
          {chunks.map((text, index) => (
            <ChunkSlot
              key={index}
              text={text}
              language={end === 'growing' && index === code.full.length ? '' : about.language}
            />
          ))}
        </code>
      </pre>
    </div>
  );
}

function firstLine({ full, open }: CodeText): string {
  return (full[0] ?? open).split('\n', 1)[0] ?? '';
}

interface ChunkProps {
  readonly text: string;
  readonly language: string;
}

/** Coloured once, and never looked at again: for that, what is kept has to be a component. */
function ChunkSlot({ text, language }: ChunkProps): VNode {
  return useMemo(() => <Chunk text={text} language={language} />, [text, language]);
}

function Chunk({ text, language }: ChunkProps): VNode {
  return (
    <span class="chunk">
      {highlighted(text, language).map((span, index) =>
        span.tone === null ? (
          span.text
        ) : (
          <span key={index} class={`tone-${span.tone}`}>
            {span.text}
          </span>
        ),
      )}
    </span>
  );
}

const COPIED_MS = 2_000;

interface ActionProps extends Pick<Props, 'code' | 'presenter'> {
  readonly about: CodeInfo;
  /** Says why nothing is done; null where all of the code is here. */
  readonly refuse: (() => void) | null;
}

function CodeActions({ about, code, presenter, refuse }: ActionProps): VNode {
  const [copied, setCopied] = useState(0);
  useEffect(() => {
    if (copied === 0) return undefined;
    const timer = setTimeout(() => setCopied(0), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const post = (action: 'copy' | 'insert' | 'apply'): void => {
    const { language, path } = about;
    presenter.post({
      type: 'code',
      action,
      text: wholeCode(code),
      ...(language === '' ? {} : { language }),
      ...(path === null ? {} : { path }),
    });
  };
  const copy = (): void => {
    post('copy');
    setCopied((times) => times + 1);
  };
  return (
    <span class="code-actions">
      <span class="copied" role="status">
        {copied > 0 && <span key={copied}>{t('Copied')}</span>}
      </span>
      <CodeAction icon={copied > 0 ? 'check' : 'copy'} name={t('Copy code')} run={refuse ?? copy} />
      <CodeAction icon="insert" name={t('Insert at cursor')} run={refuse ?? (() => post('insert'))} />
      <CodeAction icon="apply" name={t('Apply to file')} run={refuse ?? (() => post('apply'))} />
    </span>
  );
}

function CodeAction({ icon, name, run }: { icon: IconName; name: string; run: () => void }): VNode {
  return (
    <button type="button" class="icon-button" title={name} aria-label={name} onClick={run}>
      <Icon name={icon} />
    </button>
  );
}
