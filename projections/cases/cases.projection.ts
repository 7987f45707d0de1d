import type { EventTime } from '../../src/domain/event.js';
import { caseSubjectOf } from '../../src/domain/case/subject.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { Group, Projection, Write } from '../runner/projection.js';
import {
  addReport,
  appealCase,
  decideCase,
  erasePerson,
  finishEffects,
  openCase,
  overturnCase,
  setClaim,
  upholdCase,
} from './cases.sql.js';

type OfCase = Pick<Recorded, 'revision'> & { readonly event: { readonly data: { readonly caseId: string } } };

const changeOf = ({ event, revision }: OfCase) => ({
  case_id: event.data.caseId,
  revision: String(revision),
});

type OfDecision = OfCase & { readonly event: { readonly data: { readonly decisionId: string } } };

const decisionOf = (recorded: OfDecision) => ({
  ...changeOf(recorded),
  decision_id: recorded.event.data.decisionId,
});

function open(
  recorded: OfCase & Pick<Recorded, 'position'> & { readonly event: { readonly data: EventTime } },
  write: Write,
): void {
  const { event, position } = recorded;
  write(openCase, { ...changeOf(recorded), position: String(position), at: event.data.at });
}

/** The queue of operators, and the outcomes of reports. Texts stay in the log. */
export const cases: Projection = {
  name: 'cases',
  version: 1,
  tables: '',
  handlers: {
    'report.created': ({ event: { data }, position }, write) => {
      const { caseId, postId, targetActorId } = caseSubjectOf(data);
      write(addReport, {
        report_id: data.reportId,
        case_id: caseId,
        post_id: postId,
        target_actor_id: targetActorId,
        reporter_actor_id: data.reporterActorId,
        reason: data.reason,
        at: data.at,
        position: String(position),
      });
    },
    'case.opened': (recorded, write) => open(recorded, write),
    'case.reopened': (recorded, write) => open(recorded, write),
    'case.claimed': (recorded, write) =>
      write(setClaim, { ...changeOf(recorded), claimed_by: recorded.event.data.operatorId }),
    // Without a row: the group's position then shows that it has read the whole case.
    'case.disclosed': () => undefined,
    'case.noted': () => undefined,
    'case.released': (recorded, write) => write(setClaim, { ...changeOf(recorded), claimed_by: null }),
    'case.decided': (recorded, write) => {
      const { data } = recorded.event;
      write(decideCase, {
        ...decisionOf(recorded),
        decided_by: data.operatorId,
        decided_at: data.at,
        decided_up_to: data.networkRevision,
        outcome: data.outcome,
        has_effects: data.effects.length > 0,
      });
    },
    'case.appealed': (recorded, write) => write(appealCase, decisionOf(recorded)),
    'case.appeal_upheld': (recorded, write) => write(upholdCase, decisionOf(recorded)),
    'case.appeal_overturned': (recorded, write) => write(overturnCase, decisionOf(recorded)),
    'case.effects_applied': (recorded, write) => write(finishEffects, decisionOf(recorded)),
    'case.effects_undone': (recorded, write) => write(finishEffects, decisionOf(recorded)),
    'account.erased': ({ event: { data } }, write) => write(erasePerson, { actor_id: data.actorId }),
  },
};

/** Tables in a schema of their own: the release before ignores them, and can run again. */
export const casesGroup: Group = { name: 'cases', projections: [cases] };
