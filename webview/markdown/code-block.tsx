import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CAN_WAIT } from '../gradual-drawing.ts';
import { Icon, type IconName } from '../icons.tsx';
import { t } from '../l10n.ts';
import { isForTerminal } from '../../src/presenter/shell-languages.ts';
import type { Presenter } from '../presenter.ts';
import { slices } from '../slices.ts';
import { visibleDirections } from '../visible-text.ts';
import { codeInfo, type CodeInfo } from './code-info.ts';
import { wholeCode, type CodeText } from '../../src/presenter/markdown/code-text.ts';
import type { End } from '../../src/presenter/markdown/document.ts';
import { highlighted, plain, type Span } from './highlighting.ts';
import { whenNear } from './near-view.ts';
import { PathLink } from './path-link.tsx';

interface Props {
  /** What stands behind the fence. */
  readonly info: string;
  readonly code: CodeText;
  readonly presenter: Presenter;
  /** Where more may come, the end is not coloured yet; no part is taken for the whole. */
  readonly end: End;
}

export function CodeBlock({ info, code, presenter, end }: Props): VNode {
  const [refused, setRefused] = useState({ why: '', times: 0 });
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
          end={end}
          refuse={(why) => setRefused(({ times }) => ({ why, times: times + 1 }))}
        />
      </div>
      {end !== 'closed' && (
        <p class="refused" role="status">
          {refused.times > 0 && <span key={refused.times}>{refused.why}</span>}
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

/** Plain until it comes near to what the reader sees and there is time: its colours change no height. */
function Chunk({ text, language }: ChunkProps): VNode {
  const element = useRef<HTMLSpanElement>(null);
  const [coloured, setColoured] = useState<ChunkProps & { readonly spans: readonly Span[] }>({
    text,
    language,
    spans: CAN_WAIT ? plain(text) : highlighted(text, language),
  });
  useEffect(() => {
    if (!CAN_WAIT || language === '' || element.current === null) return undefined;
    const colour = (): void => setColoured({ text, language, spans: highlighted(text, language) });
    let takeBack = whenNear(element.current, () => {
      takeBack = slices.add('colour', colour);
    });
    return () => takeBack();
  }, [text, language]);
  const isCurrent = coloured.text === text && coloured.language === language;
  const spans = isCurrent ? coloured.spans : CAN_WAIT ? plain(text) : highlighted(text, language);
  return (
    <span class="chunk" ref={element}>
      {spans.map((span, index) =>
        span.tone === null ? (
          visibleDirections(span.text)
        ) : (
          <span key={index} class={`tone-${span.tone}`}>
            {visibleDirections(span.text)}
          </span>
        ),
      )}
    </span>
  );
}

const COPIED_MS = 2_000;

interface ActionProps extends Omit<Props, 'info'> {
  readonly about: CodeInfo;
  /** Says why nothing is done. */
  readonly refuse: (why: string) => void;
}

type Action = 'copy' | 'insert' | 'apply';

/** Whoever copies sees what it is; a file would be left with half of its code. */
function refusal(action: Action, end: End): string | null {
  if (end === 'cut')
    return t('Only a part of this code is shown, so nothing was done; the log has all of it.');
  if (end === 'closed' || action !== 'apply') return null;
  return end === 'growing'
    ? t('This code is still being written. Apply it when it is complete.')
    : t('The answer broke off here, so this code may not be whole. It was not applied.');
}

function CodeActions({ about, code, presenter, end, refuse }: ActionProps): VNode {
  const [copied, setCopied] = useState(0);
  useEffect(() => {
    if (copied === 0) return undefined;
    const timer = setTimeout(() => setCopied(0), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const run = (action: Action): void => {
    const why = refusal(action, end);
    if (why !== null) return refuse(why);
    const { language, path, guess } = about;
    if (action === 'copy') setCopied((times) => times + 1);
    presenter.post({
      type: 'code',
      action,
      text: wholeCode(code),
      ...(language === '' ? {} : { language }),
      ...(path === null ? {} : { path }),
      ...(guess === null ? {} : { guess }),
    });
  };
  return (
    <span class="code-actions">
      <span class="copied" role="status">
        {copied > 0 && <span key={copied}>{t('Copied')}</span>}
      </span>
      <CodeAction icon={copied > 0 ? 'check' : 'copy'} name={t('Copy code')} run={() => run('copy')} />
      <CodeAction icon="insert" name={t('Insert at cursor')} run={() => run('insert')} />
      {hasFile(about) && <CodeAction icon="apply" name={t('Apply to file')} run={() => run('apply')} />}
    </span>
  );
}

/** What is typed into a terminal is for a file only where it says so; other code is for the one that is open. */
function hasFile({ language, path, guess }: CodeInfo): boolean {
  return path !== null || guess !== null || !isForTerminal(language);
}

function CodeAction({ icon, name, run }: { icon: IconName; name: string; run: () => void }): VNode {
  return (
    <button type="button" class="icon-button" title={name} aria-label={name} onClick={run}>
      <Icon name={icon} />
    </button>
  );
}
