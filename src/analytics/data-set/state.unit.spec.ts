import { expect, it } from '@jest/globals';
import { applicationLines } from './state.js';

it('names an application once, as it is called now', () => {
  const applications = [
    { appId: 'a', name: 'Pebble', position: 1 },
    { appId: 'b', name: 'Quill', position: 2 },
    { appId: 'a', name: 'Boulder', position: 3 },
  ];
  expect(applicationLines({ applications })).toBe(
    '{"app_id":"a","name":"Boulder"}\n{"app_id":"b","name":"Quill"}\n',
  );
});
