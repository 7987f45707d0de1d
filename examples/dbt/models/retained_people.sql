SELECT cohort, weeks_later, people, active, share
FROM {{ source('plaza', 'retention') }} WHERE is_complete
