import { DatabaseError } from 'pg';
import type { Pool, QueryResultRow } from 'pg';
import { HttpRefusal } from '../../../server/errors.js';
import type { Publication, PublicationCache } from './publication.js';
import { dropStaleStatements, statementName } from './stale-statements.js';
import { unavailableMessage } from './unavailable.js';

const UNDEFINED_TABLE = '42P01';
const INVALID_SCHEMA = '3F000';
/** SQLSTATE for a prepared statement that does not exist; for why it may be dropped, see stale-statements.ts. */
const INVALID_STATEMENT = '26000';
const staleCodes = new Set<string | undefined>([UNDEFINED_TABLE, INVALID_SCHEMA, INVALID_STATEMENT]);

export interface PublishedStatement {
  readonly name: string;
  readonly text: (schemaName: string) => string;
  readonly values: (publication: Publication) => unknown[];
}

export class PublishedStatements {
  private readonly texts = new WeakMap<Publication, Map<string, { name: string; text: string }>>();

  constructor(
    private readonly pool: Pool,
    private readonly publications: PublicationCache,
  ) {
    dropStaleStatements(pool, () => publications.cached?.incarnation);
  }

  /**
   * Runs a statement on the published incarnation, and once more if another one was published meanwhile.
   * @throws {HttpRefusal} nothing is published, its versions do not fit this process, or the publication changed twice.
   */
  async run<Row extends QueryResultRow & { readonly incarnation: string | null }>(
    statement: PublishedStatement,
  ): Promise<readonly [Row, ...Row[]]> {
    let publication = await this.publications.current();
    for (const last of [false, true]) {
      if (!publication)
        throw new HttpRefusal('recovery_state_missing', unavailableMessage('recovery_state_missing', 'read'));
      if (!this.publications.isReadable(publication))
        throw new HttpRefusal(
          'protected_read_unavailable',
          'The published read models do not fit the version of this server; retry later.',
        );
      const [first, ...others] = await this.ask<Row>(publication, statement);
      if (first && first.incarnation === publication.incarnation) return [first, ...others];
      if (last) break;
      publication = await this.publications.refresh();
    }
    throw new HttpRefusal(
      'recovery_publication_changed',
      'The read models were replaced during this request; retry.',
    );
  }

  /** Returns no rows if the schema or the prepared statement was dropped after another publication. */
  private async ask<Row extends QueryResultRow>(
    publication: Publication,
    statement: PublishedStatement,
  ): Promise<readonly Row[]> {
    try {
      const values = statement.values(publication);
      const { rows } = await this.pool.query<Row>({ ...this.textOf(publication, statement), values });
      return rows;
    } catch (error) {
      if (error instanceof DatabaseError && staleCodes.has(error.code)) return [];
      throw error;
    }
  }

  private textOf(
    publication: Publication,
    { name, text }: PublishedStatement,
  ): { name: string; text: string } {
    const statements = this.texts.get(publication) ?? new Map<string, { name: string; text: string }>();
    this.texts.set(publication, statements);
    const cached = statements.get(name);
    if (cached) return cached;
    const statement = {
      name: statementName(name, publication.incarnation),
      text: text(publication.schemaName),
    };
    statements.set(name, statement);
    return statement;
  }
}
