SELECT week, reports, decided, median_hours, share_24_hours, share_72_hours
FROM {{ source('plaza', 'decision_speed') }} WHERE is_complete
