/**
 * The floors of the house (docs/adr/0035-floors.md): a room imports rooms of lower floors alone, and inside of a room no two parts import
 * each other in a circle. A room is a folder of the level looked at, or a file that lies directly in it. Imports of types count; those of
 * specs do not.
 *
 * `node checks/rooms.mjs [--count] [ROOT]`: `--count` prints the counts alone. Exits with 1 for an arrow that climbs, a circle, or a room
 * without a floor.
 */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** From the ground up. */
const FLOORS = [
  'packages/event-store',
  'src/domain',
  'src/base',
  'src/log',
  'src/launch',
  'projections',
  'src/commands',
  'src/server',
  'src/recovery',
  'src/background',
  'src/analytics',
  'src/doors',
  'src/operator',
  'src/programs',
];

const given = process.argv.slice(2);
const root = given.find((each) => !each.startsWith('--')) ?? '.';
const imports = ['packages/event-store/src', 'src', 'projections'].flatMap(filesIn).flatMap(importsOf);
const top = roomsOf(floorOf);
const inside = FLOORS.map((floor) => ({ floor, ...roomsOf((file) => partOf(insideOf(floor), file)) }));

console.log(
  `${top.rooms.size} rooms, ${top.arrows.size} arrows, ${top.climbing.length} of them climb; ${top.circles.length} circles at the top, ${inside.flatMap(({ circles }) => circles).length} inside`,
);
if (!given.includes('--count')) {
  const faults = [
    ...[...top.rooms].filter((room) => !FLOORS.includes(room)).map((room) => `${room} has no floor`),
    ...top.climbing.flatMap((arrow) => [`${arrow} climbs:`, ...(top.arrows.get(arrow) ?? [])]),
    ...top.circles.map((circle) => `circle: ${circle.join(', ')}`),
    ...inside.flatMap(({ floor, circles }) =>
      circles.map((circle) => `circle in ${floor}: ${circle.join(', ')}`),
    ),
  ];
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
}

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return path.endsWith('.ts') && !path.endsWith('.spec.ts') ? [path] : [];
  });
}

/** Pairs of files of this house. */
function importsOf(file) {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, named]) => normalize(join(dirname(file), named)).replace(/\.js$/, '.ts'))
    .filter((target) => existsSync(join(root, target)))
    .map((target) => [file, target]);
}

function floorOf(file) {
  return file.split('/', /^(src|packages)\//.test(file) ? 2 : 1).join('/');
}

function insideOf(floor) {
  return floor.startsWith('packages/') ? `${floor}/src` : floor;
}

function partOf(floor, file) {
  const path = relative(floor, file);
  return path.startsWith('..') ? undefined : path.split('/')[0];
}

function roomsOf(roomOf) {
  const rooms = new Set();
  const arrows = new Map();
  for (const [file, target] of imports) {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from === undefined || to === undefined) continue;
    rooms.add(from).add(to);
    if (from === to) continue;
    const arrow = `${from} → ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), `  ${file} → ${target}`]);
  }
  const ends = [...arrows.keys()].map((arrow) => arrow.split(' → '));
  const climbing = ends
    .filter(([from, to]) => FLOORS.indexOf(to) >= FLOORS.indexOf(from))
    .map((each) => each.join(' → '));
  return { rooms, arrows, climbing, circles: circlesOf(rooms, ends) };
}

/** Groups of rooms that all reach each other. */
function circlesOf(rooms, ends) {
  const reachedFrom = (room, reached = new Set()) => {
    for (const [from, to] of ends) if (from === room && !reached.has(to)) reachedFrom(to, reached.add(to));
    return reached;
  };
  const reached = new Map([...rooms].map((room) => [room, reachedFrom(room)]));
  const circles = new Map();
  for (const room of rooms) {
    if (!reached.get(room).has(room)) continue;
    const circle = [...rooms].filter((other) => reached.get(room).has(other) && reached.get(other).has(room));
    circle.sort((a, b) => (a < b ? -1 : 1));
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}
