import { expect, it } from 'vitest';
import { outgrownReport } from '../../src/presenter/outgrown-report.ts';
import { ReportText, seqLink, type Report } from '../../src/presenter/report-text.ts';
import { inEnglish, sentence } from '../../src/runtime/inspection/spoken-words.ts';

function linked({ text, links }: Report): readonly string[] {
  return links.map(({ offset, length }) => text.slice(offset, offset + length));
}

it('stays what it was below its title, says that the log has more, and keeps its links', () => {
  const report = new ReportText(inEnglish)
    .line('# ', sentence('Next request'))
    .gap()
    .line('Made of ', seqLink('s1', 7))
    .gap()
    .line(seqLink('s1', 9)).report;
  const outgrown = outgrownReport(report, 's1', inEnglish);
  expect(outgrown.text).toBe(`# Next request

The log has grown since. Look at the next request as it is now.

Made of seq 7

seq 9
`);
  expect(linked(outgrown)).toEqual(['the next request', 'seq 7', 'seq 9']);
});
