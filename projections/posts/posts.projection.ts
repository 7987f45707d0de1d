import { isErased } from '../erased.sql.js';
import type { Projection, Statement } from '../runner/projection.js';
import { postVerifications } from './posts.verification.js';
import { FIRST_POST_REVISION, removePost, restrictPost, unrestrictPost } from './post-statements.js';

interface NewApplication {
  readonly app_id: string;
  readonly name: string;
}

const register: Statement<NewApplication> = {
  name: 'application.register',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    INSERT INTO application (app_id, name)
    SELECT app_id, name FROM json_to_recordset($1) AS row(app_id text, name text)
    ON CONFLICT (app_id) DO NOTHING`,
};

const rename: Statement<NewApplication> = {
  name: 'application.rename',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    UPDATE application SET name = row.name FROM json_to_recordset($1) AS row(app_id text, name text)
    WHERE application.app_id = row.app_id`,
};

interface NewPost {
  readonly id: string;
  readonly position: string;
  readonly author_actor_id: string;
  readonly app_id: string;
  readonly text: string;
  readonly audience: string;
  readonly status: 'published' | 'deleted';
  readonly revision: number;
  readonly created_at: number;
  readonly parent_id: string | null;
  readonly root_id: string | null;
}

const insertPosts = (isAuthorErased: string): string => `
      INSERT INTO post (id, position, author_actor_id, app_id, text, audience, status, revision, created_at,
        parent_id, root_id)
      SELECT id, position, author_actor_id, app_id, CASE WHEN is_erased THEN '' ELSE text END, audience,
        CASE WHEN is_erased THEN 'deleted' WHEN status = 'published' AND is_restricted THEN 'restricted' ELSE status END,
        revision, created_at, parent_id, root_id
      FROM json_to_recordset($1) AS row(id text, position bigint, author_actor_id text, app_id text, text text,
        audience text, status text, revision integer, created_at bigint, parent_id text, root_id text),
        LATERAL (SELECT ${isAuthorErased} AS is_erased) author,
        LATERAL (SELECT EXISTS (SELECT FROM restricted_post WHERE restricted_post.id = row.id) AS is_restricted) restriction
      ON CONFLICT (id) DO NOTHING`;

// Only inserted rows are counted, so applying an event twice counts once. An erased author's post has no text, even if
// the worker read its event before the key was destroyed. In a recovered log, a restriction may precede its post.
const create: Statement<NewPost> = {
  name: 'post.create',
  table: 'post',
  key: (row) => row.id,
  bulkSql: insertPosts('false'),
  sql: `
    WITH created AS (${insertPosts(isErased('row.author_actor_id'))}
      RETURNING author_actor_id, status
    )
    INSERT INTO post_count (actor_id, posts)
    SELECT author_actor_id, count(*) FROM created WHERE status = 'published' GROUP BY author_actor_id
    ON CONFLICT (actor_id) DO UPDATE SET posts = post_count.posts + excluded.posts`,
};

interface EditedPost {
  readonly id: string;
  readonly text: string;
  readonly revision: number;
  readonly last_edit_app_id: string;
  readonly last_edit_at: number;
}

const edit: Statement<EditedPost> = {
  name: 'post.edit',
  table: 'post',
  key: (row) => row.id,
  sql: `
    UPDATE post SET text = row.text, revision = row.revision, last_edit_app_id = row.last_edit_app_id,
      last_edit_at = row.last_edit_at
    FROM json_to_recordset($1) AS row(id text, text text, revision integer, last_edit_app_id text,
      last_edit_at bigint)
    WHERE post.id = row.id AND post.status = 'published' AND post.revision < row.revision`,
};

export const posts: Projection = {
  name: 'posts',
  version: 5,
  // Identifiers use the "C" collation: a language's rules would slow down every index. The index `post_newest` names
  // the audience, so Postgres does not scan it for the few posts of an author or a thread. Personal texts are not
  // sampled, since statistics would outlive an erasure.
  tables: `
    CREATE TABLE application (app_id text COLLATE "C" PRIMARY KEY, name text NOT NULL);
    CREATE TABLE post (
      id text COLLATE "C" PRIMARY KEY,
      position bigint NOT NULL,
      author_actor_id text COLLATE "C" NOT NULL,
      app_id text COLLATE "C" NOT NULL,
      text text NOT NULL,
      audience text NOT NULL,
      status text NOT NULL CHECK (status IN ('published', 'restricted', 'deleted')),
      revision integer NOT NULL,
      created_at bigint NOT NULL,
      last_edit_app_id text COLLATE "C",
      last_edit_at bigint,
      parent_id text COLLATE "C",
      root_id text COLLATE "C",
      CHECK ((parent_id IS NULL) = (root_id IS NULL)),
      CHECK ((last_edit_app_id IS NULL) = (last_edit_at IS NULL))
    );
    ALTER TABLE post ALTER text SET STATISTICS 0;
    CREATE TABLE restricted_post (id text COLLATE "C" PRIMARY KEY);
    CREATE TABLE post_count (actor_id text COLLATE "C" PRIMARY KEY, posts bigint NOT NULL) WITH (fillfactor = 70)`,
  indexes: `
    CREATE INDEX post_newest ON post (position) WHERE status = 'published' AND audience = 'public';
    CREATE INDEX post_of_author ON post (author_actor_id, position) WHERE status = 'published';
    CREATE INDEX post_withheld ON post (author_actor_id) WHERE status NOT IN ('published', 'deleted');
    CREATE INDEX post_reply ON post (parent_id, position) WHERE status = 'published' AND parent_id IS NOT NULL`,
  // During the load, `unrestrict` has already counted some posts.
  backfillSql: `
    DELETE FROM post_count;
    INSERT INTO post_count (actor_id, posts)
    SELECT author_actor_id, count(*) FROM post WHERE status = 'published' GROUP BY author_actor_id`,
  verifications: postVerifications,
  handlers: {
    'application.registered': ({ event: { data } }, write) =>
      write(register, { app_id: data.appId, name: data.name }),
    'application.changed': ({ event: { data } }, write) =>
      write(rename, { app_id: data.appId, name: data.name }),
    'post.created': ({ event: { data }, position, erased }, write) =>
      write(create, {
        id: data.postId,
        position: String(position),
        author_actor_id: data.authorActorId,
        app_id: data.appId,
        text: data.text,
        audience: data.audience,
        // A post without a readable text cannot be shown.
        status: erased ? 'deleted' : 'published',
        revision: FIRST_POST_REVISION,
        created_at: data.at,
        parent_id: data.parentId ?? null,
        root_id: data.rootId ?? null,
      }),
    'post.edited': ({ event: { data }, erased }, write) => {
      if (erased) write(removePost, { id: data.postId });
      else
        write(edit, {
          id: data.postId,
          text: data.text,
          revision: data.revision,
          last_edit_app_id: data.appId,
          last_edit_at: data.at,
        });
    },
    'post.deleted': ({ event: { data } }, write) => write(removePost, { id: data.postId }),
    'post.restricted': ({ event: { data } }, write) => write(restrictPost, { id: data.postId }),
    'post.unrestricted': ({ event: { data } }, write) => write(unrestrictPost, { id: data.postId }),
  },
};
