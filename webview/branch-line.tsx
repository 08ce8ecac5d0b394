import type { VNode } from 'preact';
import { Files, Summary, Texts } from './checkpoint-line.tsx';
import { Disclosure } from './disclosure.tsx';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { BranchEntry } from './transcript.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly branch: BranchEntry;
  readonly presenter: Presenter;
}

/** What the model is told of the part of the parent that the fork does not have. */
export function BranchLine({ branch, presenter }: Props): VNode {
  const { seq, ts, facts } = branch;
  const { open_tasks, files_touched, limitations } = facts;
  return (
    <div class="checkpoint" data-seq={seq} title={ts} {...forkPlace(seq)}>
      <Disclosure
        class="checkpoint-box"
        head={
          <>
            <Icon name="repo-forked" />
            <span>
              {t('What was left behind is summed up for the model')}
              <span class="detail">{t('made from the log by rules')}</span>
            </span>
          </>
        }
      >
        <div class="evidence-details">
          <Summary checkpoint={branch} presenter={presenter} />
          <Texts title={t('Open tasks')} lines={open_tasks.map(visibleText)} />
          <Files files={files_touched} presenter={presenter} />
          <Texts title={t('Limitations')} lines={limitations.map((one) => visibleText(translated(one)))} />
        </div>
      </Disclosure>
    </div>
  );
}
