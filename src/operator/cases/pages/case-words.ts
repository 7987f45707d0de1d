export const outcomeNames = { violation: 'violation', no_violation: 'no violation' } as const;

export const effectNames = {
  restrict_post: 'restrict the post',
  suspend_actor: 'suspend the account',
} as const;
