import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../src/log/transparency/canonical-json.js';
import { signNote, verifierKey } from '../../src/log/transparency/signed-note.js';
import { blocksOf } from '../examples/support/document.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { startApiProcess } from '../support/api-process.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { openLogOf } from '../support/network-log.js';
import { enrollOperator } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { describeWithPython, python, verifier } from '../support/python.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

const scratch = mkdtempSync(join(tmpdir(), 'plaza-export-'));
const dir = join(scratch, 'case-17');

let network: SharedNetwork;
let auditor: EnrolledOperator;
let env: NodeJS.ProcessEnv;
let author: SignedIn;
let key: string;

beforeAll(async () => {
  network = await sharedNetwork();
  auditor = await enrollOperator(operatorOf(network), ['auditor']);
  env = { ...network.env, OPERATOR_TOKEN: auditor.token };
  author = await personWithToken(network, await registerApplication(network));
  for (const words of ['one', 'two', 'three']) await author.say(words);
  key = (await (await fetch(`${network.baseUrl}/log/key`)).text()).trim();
  const { code, stderr } = await exported(dir, `actor:${author.actorId}`, '--reason', 'case 17');
  if (code !== 0) throw new Error(stderr);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const exported = (to: string, ...args: string[]) => runPlaza(['export', 'audit', to, ...args], env);
const linesIn = (from: string) => readFileSync(join(from, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
const noteIn = (from: string) => readFileSync(join(from, 'manifest.note'), 'utf8');
const manifestIn = (from: string) => JSON.parse(noteIn(from).split('\n')[1] ?? '') as Manifest;

interface Manifest {
  readonly exportId: string;
  readonly network: string;
  readonly operatorId: string;
  readonly query: string;
  readonly upTo: { readonly position: number; readonly eventId: string };
  readonly entries: { readonly count: number; readonly root: string };
}

interface Entry {
  readonly position: number;
  readonly type: string;
  readonly eventId: string;
}

describe('plaza export audit', () => {
  it('writes what plaza audit finds, in the order of the log, without texts and secret ids', async () => {
    const args = ['audit', '--json', '--no-texts', `actor:${author.actorId}`];
    const found = (await runPlaza(args, network.env)).stdout.trimEnd().split('\n').toReversed();
    const expected = found.flatMap((line) => {
      const { requestId, ...entry } = JSON.parse(line) as Entry & { readonly requestId: string };
      expect(requestId).toMatch(/./);
      // The look that the export is follows its record.
      return entry.position > manifestIn(dir).upTo.position ? [] : [canonicalJson(entry)];
    });
    expect(linesIn(dir)).toEqual(expected);
    expect(expected.filter((line) => line.includes('"type":"post.created"'))).toHaveLength(3);
    expect(manifestIn(dir).entries.count).toBe(expected.length);
  });

  it('is for nobody else on the machine to read', () => {
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir).toSorted()).toEqual(['audit.jsonl', 'manifest.note']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });

  it('is recorded with operator, query and reason before the first entry', async () => {
    const { exportId, operatorId, query, upTo } = manifestIn(dir);
    expect([operatorId, query]).toEqual([auditor.operatorId, `actor:${author.actorId}`]);
    const search = ['audit', '--wait', 'type:audit.exported', `operator:${auditor.operatorId}`];
    const records = (await runPlaza(search, network.env)).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    const record = records.find(({ eventId }) => eventId === upTo.eventId);
    expect(record).toMatchObject({
      position: upTo.position,
      subject: { exportId },
      operatorId: auditor.operatorId,
      reason: 'case 17',
    });
    const opened = await openLogOf(network);
    try {
      const [recorded] = await opened.log.read(`plaza_audit_export-${exportId}`);
      expect(recorded?.event).toMatchObject({ type: 'audit.exported', data: { exportId, query } });
    } finally {
      await opened.close();
    }
  });

  it('is recorded and signed with ids, also of a search by handle', async () => {
    const to = join(scratch, 'by-handle');
    const handle = String((await author.get('/api/profile')).body.profile.handle);
    expect((await exported(to, `actor:@${handle}`)).code).toBe(0);
    const { exportId, query } = manifestIn(to);
    expect(query).toBe(`actor:${author.actorId}`);
    const opened = await openLogOf(network);
    try {
      const [recorded] = await opened.log.read(`plaza_audit_export-${exportId}`);
      expect(recorded?.event.data).toMatchObject({ query });
    } finally {
      await opened.close();
    }
  });

  it('takes a request or intent that the audit has, and refuses a typed text and a secret id', async () => {
    const [to, intentId] = [join(scratch, 'by-request'), randomUUID()];
    const { headers } = await author.say('by request', { intentId });
    const typed = [`request:${headers.get('x-request-id')}`, `intent:${intentId}`];
    const { stdout } = await runPlaza(['audit', '--wait', '--json', ...typed], network.env);
    expect((await exported(to, ...typed)).code).toBe(0);
    expect([manifestIn(to).query, linesIn(to).length]).toEqual([typed.join(' '), 1]);
    const { requestId: secret } = JSON.parse(stdout) as { readonly requestId: string };
    const never = join(scratch, 'no-request');
    for (const [term, said] of [
      ['request:ada_smith', 'no event has the clientRequestId “ada_smith”'],
      ['intent:ada_smith', 'no event has the intentId “ada_smith”'],
      [`request:${secret}`, 'write the clientRequestId of its event'],
    ] as const)
      expect([term, await exported(never, term)]).toEqual([
        term,
        expect.objectContaining({ code: 2, stderr: expect.stringContaining(said) }),
      ]);
    expect(existsSync(never)).toBe(false);
    const record = [
      'audit',
      '--wait',
      '--limit',
      '1',
      'type:audit.exported',
      `operator:${auditor.operatorId}`,
    ];
    expect(JSON.parse((await runPlaza(record, network.env)).stdout)).toMatchObject({
      eventId: manifestIn(to).upTo.eventId,
    });
  });

  it('covers the log up to its own record, in a window of absolute times', async () => {
    const to = join(scratch, 'window');
    const { code } = await exported(to, 'type:audit.exported', '--since', '1h', '--until', '2100-01-01');
    expect(code).toBe(0);
    const { query, upTo } = manifestIn(to);
    expect(query).toMatch(/^type:audit\.exported since:2\S+Z until:2100-01-02T00:00:00\.000Z$/);
    const entries = linesIn(to).map((line) => JSON.parse(line) as Entry);
    expect(entries.at(-1)).toMatchObject({ eventId: upTo.eventId, position: upTo.position });
    expect(entries.map(({ position }) => position)).toEqual(
      entries.map(({ position }) => position).toSorted((a, b) => a - b),
    );
  });

  it('writes an export without entries, too', async () => {
    const to = join(scratch, 'empty');
    expect((await exported(to, '--since', '2100-01-01')).code).toBe(0);
    expect([readFileSync(join(to, 'audit.jsonl'), 'utf8'), manifestIn(to).entries]).toEqual([
      '',
      { count: 0, root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
    ]);
  });

  it('refuses a directory with other content, and records nothing', async () => {
    const to = join(scratch, 'full');
    mkdirSync(to);
    writeFileSync(join(to, 'audit.jsonl'), 'mine');
    for (const target of [to, dir]) {
      const { code, stderr } = await exported(target, 'type:network.founded');
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('is not empty; name a directory that is new or empty'),
      ]);
    }
    expect(readFileSync(join(to, 'audit.jsonl'), 'utf8')).toBe('mine');
  });

  it('starts again where a killed export left its files', async () => {
    const to = join(scratch, 'killed');
    mkdirSync(join(to, 'lock.unfinished'), { recursive: true });
    for (const name of ['audit.jsonl', 'audit.jsonl.unfinished', 'manifest.note.unfinished'])
      writeFileSync(join(to, name), 'half of it');
    expect((await exported(to, 'type:network.founded')).code).toBe(0);
    expect(readdirSync(to).toSorted()).toEqual(['audit.jsonl', 'manifest.note']);
    expect(linesIn(to)).toHaveLength(1);
  });

  it('names a search that it cannot read, and makes no directory', async () => {
    const to = join(scratch, 'never');
    const { code, stderr } = await exported(to, 'actr:x');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean actor:?')]);
    expect(existsSync(to)).toBe(false);
  });
});

describe('the log key', () => {
  it('is at /log/key and in the banner, under the address of the log', () => {
    const { host } = new URL(network.baseUrl);
    expect(key).toMatch(new RegExp(`^${host}/log/1\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]{44}$`));
    const printed = readFileSync(`${process.env['PLAZA_TEST_RUN']}/shared-network.log`, 'utf8');
    expect(printed).toContain(`  log key       ${key}\n`);
    expect(noteIn(dir)).toContain(`\n\n\u2014 ${host}/log/1 `);
  });

  it('is the same in every API process', async () => {
    const second = await startApiProcess(network);
    try {
      const headers = { host: new URL(network.baseUrl).host };
      const answer = await fetch(`http://127.0.0.1:${second.port}/log/key`, { headers });
      expect([answer.status, (await answer.text()).trim()]).toEqual([200, key]);
    } finally {
      await second.stop();
    }
  });
});

/** A copy of the export, changed. */
function changed(name: string, change: (copy: string) => void): string {
  const copy = join(scratch, name.replaceAll(/\W+/g, '-'));
  cpSync(dir, copy, { recursive: true });
  change(copy);
  return copy;
}

const write = (copy: string, lines: readonly string[]) =>
  writeFileSync(join(copy, 'audit.jsonl'), lines.map((line) => `${line}\n`).join(''));

function changeByte(path: string, at: number): void {
  const bytes = readFileSync(path);
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  writeFileSync(path, bytes);
}

const verified = (directory: string, ...keys: string[]) => python(verifier, 'export', directory, ...keys);

describeWithPython('docs/verify_log.py', () => {
  it('has some 200 lines, and takes from the standard library alone', () => {
    const source = readFileSync(verifier, 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(210);
    expect([...source.matchAll(/^\s*(?:import|from) (\w+)/gm)].map(([, name]) => name)).toEqual([
      'argparse',
      'base64',
      'hashlib',
      'json',
      'os',
      'sys',
    ]);
  });

  it('verifies an export with the key, also from a file with several keys, and without entries', async () => {
    const { host } = new URL(network.baseUrl);
    const said = `verified: ${linesIn(dir).length} entries, signed by ${host}/log/1\n`;
    const [byKey, kept] = [await verified(dir, key), join(scratch, 'keys')];
    expect([byKey.code, byKey.stderr, byKey.stdout.slice(0, said.length)]).toEqual([0, '', said]);
    expect(byKey.stdout).toContain(`query: "actor:${author.actorId}"\n`);
    writeFileSync(kept, `${otherKey().verifier}\n${key}\n`);
    expect((await verified(dir, `@${kept}`)).code).toBe(0);
    const none = join(scratch, 'none');
    await exported(none, '--since', '2100-01-01');
    expect((await verified(none, key)).code).toBe(0);
  });

  it.each<[string, (copy: string) => void]>([
    ['one changed byte at the begin of the entries', (copy) => changeByte(join(copy, 'audit.jsonl'), 20)],
    ['one changed byte at the end of the entries', (copy) => changeByte(join(copy, 'audit.jsonl'), -5)],
    ['another newline at the end', (copy) => changeByte(join(copy, 'audit.jsonl'), -1)],
    ['a cut last line', (copy) => write(copy, linesIn(copy).slice(0, -1))],
    [
      'half of a last line',
      (copy) =>
        writeFileSync(join(copy, 'audit.jsonl'), readFileSync(join(copy, 'audit.jsonl')).subarray(0, -9)),
    ],
    [
      'two swapped lines',
      (copy) => write(copy, linesIn(copy).with(0, linesIn(copy)[1]!).with(1, linesIn(copy)[0]!)),
    ],
    ['a missing line', (copy) => write(copy, linesIn(copy).toSpliced(1, 1))],
    ['an added line', (copy) => write(copy, [...linesIn(copy), linesIn(copy)[0]!])],
    ['an added note', (copy) => write(copy, [...linesIn(copy), '{"note":"forged entry"}'])],
    ['an added empty line', (copy) => write(copy, [...linesIn(copy), ''])],
    ['one line in place of another', (copy) => write(copy, linesIn(copy).with(1, linesIn(copy)[0]!))],
    [
      'another count in the manifest',
      (copy) => writeFileSync(join(copy, 'manifest.note'), noteIn(copy).replace(/"count":/, '"count":1')),
    ],
    [
      'the manifest of another key',
      (copy) => writeFileSync(join(copy, 'manifest.note'), signedByOther(copy)),
    ],
    [
      'no signature',
      (copy) => writeFileSync(join(copy, 'manifest.note'), noteIn(copy).replace(/\u2014.*\n/, '')),
    ],
  ])('refuses %s', async (name, change) => {
    const { code, stderr } = await verified(changed(name, change), key);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^REFUSED: .*\n$/)]);
  });

  it('names each key that signed, and refuses a wrong signature beside a good one', async () => {
    const { host } = new URL(network.baseUrl);
    const second = otherKey();
    const signedTwice = (text: string) =>
      changed(`two signatures ${text.length}`, (copy) => {
        const [, own = ''] = noteIn(copy).split(/\n\n(?=\u2014)/);
        const [, line = ''] = signNote(text, [second.signer]).split(/\n\n(?=\u2014)/);
        writeFileSync(join(copy, 'manifest.note'), `${noteIn(copy).split(own)[0]}${own}${line}`);
      });
    const text = `${noteIn(dir).split(/\n\n(?=\u2014)/)[0]}\n`;
    const both = await verified(signedTwice(text), key, second.verifier);
    expect([both.code, both.stdout]).toEqual([
      0,
      expect.stringContaining(`signed by ${host}/log/1, ${second.signer.name}\n`),
    ]);
    const wrong = await verified(signedTwice(`${text}x\n`), key, second.verifier);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining(second.signer.name)]);
  });

  it('says that it read nothing, if a file is missing', async () => {
    const copy = changed('missing', (to) => rmSync(join(to, 'audit.jsonl')));
    for (const [directory, given] of [
      [copy, key],
      [dir, `@${join(copy, 'no-key')}`],
    ] as const)
      expect(await verified(directory, given)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^nothing is verified: /),
      });
  });

  it.each([
    ['no JSON', 'x\n'],
    ['no manifest', '[]\n'],
    ['a manifest without entries', '{"network":"n"}\n'],
    ['a manifest that is nested too deep', `${'['.repeat(100_000)}\n`],
    ['a manifest with a number beyond all bounds', `{"entries":{"count":${'9'.repeat(5_000)}}}\n`],
  ])('cannot read %s, though it is signed, and says so in one line', async (name, body) => {
    const signed = otherKey();
    const copy = changed(name, (to) =>
      writeFileSync(join(to, 'manifest.note'), signNote(`plaza-audit-export/v1\n${body}`, [signed.signer])),
    );
    const { code, stderr } = await verified(copy, signed.verifier);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^nothing is verified: .*\n$/)]);
  });

  it('cannot read a file of keys that is no UTF-8, and says so in one line', async () => {
    const keys = join(scratch, 'latin-1');
    writeFileSync(keys, Buffer.from([0x6b, 0xe9]));
    const { code, stderr } = await verified(dir, `@${keys}`);
    expect([code, stderr]).toEqual([2, `nothing is verified: the file of keys ${keys} is no UTF-8\n`]);
  });

  it('refuses another key', async () => {
    const { host } = new URL(network.baseUrl);
    for (const wrong of [otherKey().verifier, otherKey(`${host}/log/1`).verifier])
      expect(await verified(dir, wrong)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^REFUSED: .*\n$/),
      });
  });

  it.each([
    ['a damaged key', () => key.replace(/\+.{8}\+/, '+00000000+')],
    ['a word', () => 'key'],
    ['nothing', () => ''],
  ])('cannot read %s as a key, and says so in one line', async (_what, given) => {
    expect(await verified(dir, given())).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^nothing is verified: .*\n$/),
    });
  });

  it('refuses changes of one byte all over the manifest and the entries', async () => {
    const program = `
import contextlib, io, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import verify_log
directory, keys, accepted = sys.argv[2], [verify_log.read_key(sys.argv[3])], []
for name, step in (("manifest.note", 9), ("audit.jsonl", 97)):
    path = os.path.join(directory, name)
    content = open(path, "rb").read()
    for at in [*range(0, len(content), step), len(content) - 3, len(content) - 2, len(content) - 1]:
        with open(path, "wb") as file:
            file.write(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                verify_log.verify_export(directory, keys)
            accepted.append((name, at))
        except verify_log.Refused:
            pass
    with open(path, "wb") as file:
        file.write(content)
verify_log.verify_export(directory, keys)
print("accepted:", accepted)
`;
    const copy = changed('every byte', (to) => void to);
    const { code, stdout, stderr } = await python('-c', program, verifier, copy, key);
    expect([code, stderr, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '', 'accepted: []']);
  });
});

describeWithPython('docs/audit.md', () => {
  it('has commands that work as they are written, and the output of the verifier', async () => {
    const blocks = blocksOf(readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8'));
    const cwd = join(scratch, 'as-written');
    mkdirSync(cwd);
    const outputs: string[] = [];
    for (const { text } of blocks.filter(({ language }) => language === 'sh')) {
      const [, address, file] = /^curl -s http:\/\/localhost:3000(\S+) > (\S+)$/.exec(text) ?? [];
      if (address !== undefined && file !== undefined)
        writeFileSync(join(cwd, file), await (await fetch(network.baseUrl + address)).text());
      else {
        const typed = text
          .replace('npx plaza', `"${process.execPath}" "${plaza}"`)
          .replace('verify_log.py', verifier);
        const options = { cwd, env: { ...environment(env), ACTOR_ID: author.actorId } };
        outputs.push((await promisify(execFile)('sh', ['-euc', typed], options)).stdout);
      }
    }
    const shown = blocks.find(({ language }) => language === 'text')?.text ?? '';
    const [, printed = ''] = outputs;
    const fixed = (line: string) => line.replace(/[<\u2026].*$/, '');
    const begins = shown.split('\n').map(fixed);
    expect(
      printed
        .trimEnd()
        .split('\n')
        .map((line, at) => line.slice(0, begins[at]?.length ?? 0)),
    ).toEqual(begins);
  });
});

function otherKey(name = 'elsewhere.example/log/1') {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const signer = { name, publicKey, sign: (text: Uint8Array) => sign(null, text, privateKey) };
  return { signer, verifier: verifierKey(signer) };
}

/** The same manifest with a signature that claims to be of the network's key. */
function signedByOther(from: string): string {
  const [text = '', claimed = ''] = noteIn(from).split(/\n\n(?=\u2014)/);
  const { host } = new URL(network.baseUrl);
  const forged = signNote(`${text}\n`, [otherKey(`${host}/log/1`).signer]);
  const hashOf = (line: string) => Buffer.from(line.trimEnd().split(' ').at(-1) ?? '', 'base64');
  const bytes = Buffer.concat([hashOf(claimed).subarray(0, 4), hashOf(forged).subarray(4)]);
  return `${text}\n\n\u2014 ${host}/log/1 ${bytes.toString('base64')}\n`;
}
